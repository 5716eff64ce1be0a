"""Training by Accelerate over gloo: `--fault` says how it breaks."""
# mypy: ignore-errors
# ruff: noqa: TID251, PLR0915, C901  a program of its own: it sleeps as such programs do

import argparse
import os
import time
from datetime import timedelta
from pathlib import Path

import torch
from accelerate import Accelerator, InitProcessGroupKwargs
from accelerate.logging import get_logger
from breaking import break_by, hoard
from safetensors.torch import load_file

log = get_logger(__name__)


def main():
    """Train."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", default="")
    parser.add_argument("--on", type=int, default=1)
    parser.add_argument("--at", type=int, default=12)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--resume", default="")
    parser.add_argument("--save", default="")
    asked = parser.parse_args()
    timeout = InitProcessGroupKwargs(timeout=timedelta(seconds=15))
    accelerator = Accelerator(cpu=True, kwargs_handlers=[timeout])
    rank = accelerator.process_index
    Path(f"rank{rank}.pid").write_text(str(os.getpid()))
    accelerator.print(f"{accelerator.num_processes} processes are ready")
    model = torch.nn.Linear(16, 16)
    if asked.resume:
        model.load_state_dict(load_file(asked.resume))
    model, optimizer = accelerator.prepare(model, torch.optim.AdamW(model.parameters(), lr=1e-3))
    for step in range(1, asked.steps + 1):
        batch = torch.randn(8, 16)
        if asked.fault == "memory" and rank == asked.on:
            hoard()
        if step == asked.at and rank == asked.on:
            if asked.fault == "order":
                accelerator.gather(torch.zeros(4))
            if asked.fault == "exits":
                os._exit(0)
            break_by(asked.fault)
        loss = model(batch).square().mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        time.sleep(0.2)
        if step % 5 == 0:
            accelerator.print(f"step {step}/{asked.steps} loss {loss.item():.4f}")
        if asked.save and step % 10 == 0:
            accelerator.save_state(f"{asked.save}/step-{step}")
            accelerator.print(f"saved {asked.save}/step-{step}")
    accelerator.wait_for_everyone()
    accelerator.print("training finished")
    accelerator.end_training()


if __name__ == "__main__":
    main()
