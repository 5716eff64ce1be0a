"""Ray Train with PyTorch over gloo: `--fault` says how it breaks."""
# mypy: ignore-errors
# ruff: noqa: TID251, T201, PLC0415, C901, PLR0912, PLR0915  it sleeps, prints and imports as such do

import argparse
import os
import time
from pathlib import Path

import ray
from ray import train
from ray.train import FailureConfig, RunConfig, ScalingConfig
from ray.train.torch import TorchTrainer


def loop(config):
    """Train on one worker."""
    import torch
    from breaking import break_by, write_block

    context = train.get_context()
    rank = context.get_world_rank()
    Path(config["folder"], f"rank{rank}.pid").write_text(str(os.getpid()))
    model = train.torch.prepare_model(torch.nn.Linear(16, 16))
    kept = []
    for step in range(1, config["steps"] + 1):
        batch = torch.randn(8, 16)
        if config["on"] == rank and step == config["at"]:
            if config["fault"] == "raises":
                batch = batch[:, :12]
            if config["fault"] == "exits":
                os._exit(7)
            if config["fault"] == "import":
                import apex  # noqa: F401
            tried = Path(config["folder"], "tried")
            if config["fault"] == "once" and not tried.exists():
                tried.touch()
                batch = batch[:, :12]
            if config["fault"] in {"segfault", "aborts"}:
                break_by(config["fault"])
        if config["fault"] == "memory" and config["on"] == rank:
            kept.append(bytearray(os.urandom(1) * (48 << 20)))
        model(batch).square().mean().backward()
        time.sleep(0.2)
        if rank == 0 and step % 5 == 0:
            print(f"step {step}/{config['steps']}", flush=True)
        if config["save"] and rank == 0 and step % 10 == 0:
            write_block(config["save"], step)
    train.report({"steps": config["steps"]})


def main():
    """Start the trainer in the cluster that is there."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", default="")
    parser.add_argument("--on", type=int, default=1)
    parser.add_argument("--at", type=int, default=12)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--save", default="")
    parser.add_argument("--tries", type=int, default=1)
    asked = parser.parse_args()
    ray.init(address="auto")
    trainer = TorchTrainer(
        loop,
        train_loop_config=vars(asked),
        scaling_config=ScalingConfig(num_workers=asked.workers, resources_per_worker={"CPU": 1}),
        run_config=RunConfig(
            storage_path=f"{asked.folder}/ray",
            failure_config=FailureConfig(max_failures=asked.tries - 1),
        ),
    )
    print(trainer.fit().metrics)


if __name__ == "__main__":
    main()
