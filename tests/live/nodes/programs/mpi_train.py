"""Training over MPI: gradients summed by Allreduce; `--fault` says how it breaks.

It needs mpi4py and numpy.
"""
# mypy: ignore-errors
# ruff: noqa: TID251, T201  a program of its own: it sleeps and prints as such programs do

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np
from breaking import break_by, hoard, read_rows
from mpi4py import MPI

COMM = MPI.COMM_WORLD
RANK, SIZE = COMM.Get_rank(), COMM.Get_size()


def fault(asked, step):
    """Break as told."""
    if asked.fault == "raises" and asked.on == RANK:
        batch = {"tokens": np.zeros(4)}
        batch["labels"]
    if asked.fault in {"segfault", "aborts"} and asked.on == RANK:
        break_by(asked.fault)
    if asked.fault == "abort" and asked.on == RANK:
        print(f"rank {RANK}: loss is nan at step {step}, giving up", flush=True)
        COMM.Abort(13)
    if asked.fault == "counts" and asked.on == RANK:
        got = np.zeros(8, dtype=np.float64)
        COMM.Bcast(got, root=0)
    elif asked.fault == "counts":
        COMM.Bcast(np.zeros(4096, dtype=np.float64), root=0)
    if asked.fault == "exits" and asked.on == RANK:
        sys.stdout.flush()
        os._exit(3)
    if asked.fault == "sleeps" and asked.on == RANK:
        time.sleep(600)


def main():
    """Train for so many steps."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", default="")
    parser.add_argument("--on", type=int, default=1)
    parser.add_argument("--at", type=int, default=12)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--save", default="")
    parser.add_argument("--data", default="")
    asked = parser.parse_args()
    Path(f"rank{RANK}.pid").write_text(str(os.getpid()))
    print(f"rank {RANK} of {SIZE} on {MPI.Get_processor_name()} is ready", flush=True)
    weights = np.zeros(1024)
    for step in range(1, asked.steps + 1):
        if step == asked.at:
            fault(asked, step)
        if asked.data:
            read_rows(asked.data, step)
        if asked.fault == "memory" and asked.on == RANK:
            hoard()
        grads, total = np.random.default_rng(step + RANK).normal(size=1024), np.zeros(1024)
        COMM.Allreduce(grads, total)
        weights -= 0.01 * total / SIZE
        time.sleep(0.2)
        if RANK == 0 and step % 5 == 0:
            print(f"step {step}/{asked.steps} loss {float(np.abs(weights).mean()):.4f}", flush=True)
        if asked.save and step % 10 == 0 and RANK == 0:
            np.save(Path(asked.save, f"step-{step}.npy"), np.zeros((1024, 1024)))
            print(f"saved checkpoint step-{step}.npy", flush=True)
    COMM.Barrier()
    if RANK == 0:
        print("training finished", flush=True)


if __name__ == "__main__":
    main()
