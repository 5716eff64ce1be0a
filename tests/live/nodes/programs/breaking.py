"""How a process breaks itself, and what it does with files, whatever the framework."""
# mypy: ignore-errors

import ctypes
import os
from pathlib import Path

HOARD = []


def break_by(fault):
    """Break this process as told; return where this fault is none of a process alone."""
    if fault == "segfault":
        ctypes.string_at(0)
    if fault == "aborts":
        os.abort()
    if fault == "exits":
        os._exit(5)
    if fault == "raises":
        settings = {"hidden_size": 16}
        return settings["n_layers"]
    return None


def hoard(mib=24):
    """Keep so much memory for good."""
    HOARD.append(bytearray(os.urandom(1) * (mib << 20)))


def read_rows(folder, step):
    """Read a block of the shard that this step needs."""
    with Path(folder, f"shard-{step % 8:03}.bin").open("rb", buffering=0) as file:
        file.seek(4096 * (step % 64))
        return len(file.read(4096))


def write_block(folder, step, mib=2):
    """Write a checkpoint of so much."""
    path = Path(folder, f"step-{step}.ckpt")
    print(f"saving checkpoint {path}", flush=True)  # noqa: T201  as such programs do
    with path.open("wb") as file:
        file.write(bytes(mib << 20))
        file.flush()
        os.fsync(file.fileno())
