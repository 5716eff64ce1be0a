"""Training by DeepSpeed on processors, ZeRO over gloo: `--fault` says how it breaks."""
# mypy: ignore-errors
# ruff: noqa: TID251, T201, SIM300, PLR0915  a program of its own, written as such programs are

import argparse
import os
import time
from datetime import timedelta
from pathlib import Path

import deepspeed
import torch
from breaking import break_by

RANK = int(os.environ.get("RANK", "0"))


def main():
    """Train."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=0)
    parser.add_argument("--fault", default="")
    parser.add_argument("--on", type=int, default=1)
    parser.add_argument("--at", type=int, default=12)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--save", default="")
    asked = parser.parse_args()
    deepspeed.init_distributed("gloo", timeout=timedelta(seconds=20))
    Path(f"rank{RANK}.pid").write_text(str(os.getpid()))
    world = int(os.environ["WORLD_SIZE"])
    settings = {
        "train_batch_size": asked.batch,
        "train_micro_batch_size_per_gpu": 8,
        "gradient_accumulation_steps": max(1, 32 // (8 * world)),
        "optimizer": {"type": "Adam", "params": {"lr": 1e-3, "torch_adam": True}},
        "zero_optimization": {"stage": 1},
        "steps_per_print": 5,
    }
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Linear(64, 16))
    engine, *_ = deepspeed.initialize(
        model=model, model_parameters=model.parameters(), config=settings
    )
    kept = []
    for step in range(1, asked.steps + 1):
        batch = torch.randn(8, 16)
        if asked.fault == "memory" and RANK == asked.on:
            kept.append(bytearray(os.urandom(1) * (24 << 20)))
        if step == asked.at and RANK == asked.on:
            if asked.fault == "raises":
                batch = batch.to(torch.int64)
            if asked.fault == "sleeps":
                time.sleep(600)
            break_by(asked.fault if asked.fault != "raises" else "")
        loss = engine(batch).square().mean()
        engine.backward(loss)
        engine.step()
        time.sleep(0.2)
        if RANK == 0 and step % 5 == 0:
            print(f"step {step}/{asked.steps} loss {loss.item():.4f}", flush=True)
        if asked.save and step % 10 == 0:
            more = {"ballast": torch.zeros(1 << 20)}
            engine.save_checkpoint(asked.save, tag=f"step-{step}", client_state=more)


if __name__ == "__main__":
    main()
