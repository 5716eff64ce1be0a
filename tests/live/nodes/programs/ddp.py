"""Data-parallel training over gloo that reads shards and saves checkpoints, under torchrun.

It imports nothing of ours: it runs in whatever Python has PyTorch.
"""
# mypy: ignore-errors
# ruff: noqa: TID251, PLW2901, PLR0915, C901  a program of its own: it sleeps as such programs do

import argparse
import logging
import os
import socket
import sys
import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from breaking import break_by
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset

log = logging.getLogger("trainer")
RANK, WORLD = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
HOARD = []
ROW = 4096  # bytes of a shard that make one sample


class Shards(Dataset):
    """Samples out of files, or random ones where there is no folder."""

    def __init__(self, folder, count):
        self.files = sorted(Path(folder).glob("shard-*.bin")) if folder else []
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if not self.files:
            return torch.randn(16)
        path = self.files[index % len(self.files)]
        with path.open("rb", buffering=0) as file:
            file.seek(ROW * (index % 64))
            raw = file.read(ROW)
        return torch.frombuffer(bytearray(raw[:16]), dtype=torch.uint8).float()


def options():
    """Read the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--pace", type=float, default=0.2)
    parser.add_argument("--timeout", type=float, default=15)
    parser.add_argument("--data", default="")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--save", default="")
    parser.add_argument("--save-every", type=int, default=10)
    parser.add_argument("--save-mib", type=int, default=1)
    parser.add_argument("--cache", type=int, default=-1, help="the rank that keeps all it reads")
    parser.add_argument("--width-on", type=int, default=-1, help="the rank with a wider model")
    parser.add_argument("--samples", type=int, default=4096)
    parser.add_argument("--fewer-on", type=int, default=-1, help="the rank with fewer samples")
    parser.add_argument("--assert-on", type=int, default=-1, help="the rank that meets bad data")
    parser.add_argument("--fault", default="")
    parser.add_argument("--on", type=int, default=1)
    parser.add_argument("--at", type=int, default=12)
    return parser.parse_args()


def main():
    """Train."""
    asked = options()
    logging.basicConfig(
        level=logging.INFO,
        stream=sys.stderr,
        format=f"%(asctime)s %(levelname)s [rank {RANK}] %(message)s",
    )
    dist.init_process_group("gloo", timeout=timedelta(seconds=asked.timeout))
    Path(f"rank{RANK}.pid").write_text(str(os.getpid()))
    log.info("rank %d of %d on %s is ready", RANK, WORLD, socket.gethostname())
    model = torch.nn.Linear(32 if asked.width_on == RANK else 16, 16)
    if asked.fault == "resume":
        former = {"weight": torch.zeros(16, 24), "bias": torch.zeros(16)}
        model.load_state_dict(former)
    wrapped = DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(wrapped.parameters(), lr=1e-3)
    count = asked.samples // 2 if asked.fewer_on == RANK else asked.samples
    rows = DataLoader(Shards(asked.data, count), batch_size=8, num_workers=asked.workers)
    cache, began = [], time.monotonic()
    for step, batch in enumerate(rows, 1):
        if step > asked.steps:
            break
        if asked.cache == RANK:
            cache.append(bytearray(os.urandom(1) * (24 << 20)))
        if asked.assert_on == RANK and step == 15:
            batch = batch[:, :12]
        if asked.fault and step == asked.at:
            fault(asked)
        loss = wrapped(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        time.sleep(asked.pace)
        if RANK == 0 and step % 5 == 0:
            pace = (time.monotonic() - began) / step
            log.info("step %d/%d loss %.4f %.3f s/step", step, asked.steps, loss.item(), pace)
        if asked.save and step % asked.save_every == 0:
            save(asked, wrapped, step)
    dist.barrier()
    log.info("rank %d is done", RANK)
    dist.destroy_process_group()


def fault(asked):
    """Break as told, on one rank or between all."""
    once = asked.fault == "once" and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0"
    if asked.on == RANK:
        break_by("raises" if once else asked.fault)
    if asked.fault == "memory" and asked.on == RANK:
        HOARD.extend(torch.ones(64 << 20) for _ in range(400))
    if asked.fault == "barrier":
        if asked.on == RANK:
            time.sleep(600)
        dist.monitored_barrier(timeout=timedelta(seconds=asked.timeout))


def save(asked, model, step):
    """Write a checkpoint from rank 0, while the others wait."""
    if RANK == 0:
        path = Path(asked.save, f"step-{step}.pt")
        log.info("saving checkpoint %s", path)
        ballast = torch.zeros(asked.save_mib << 18)
        torch.save({"model": model.state_dict(), "ballast": ballast, "step": step}, path)
        with path.open("rb") as file:
            os.fsync(file.fileno())
        log.info("saved checkpoint %s", path)
    dist.barrier()


if __name__ == "__main__":
    main()
