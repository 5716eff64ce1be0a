"""Frameworks other than plain PyTorch: disks that fill, turn read-only, and servers that end."""

import os
import signal
from pathlib import Path

from tests.live.nodes.stage import Stage
from tests.live.nodes.storage import disk, served_files
from tests.live.nodes.ways.launchers import (
    accelerate,
    deepspeed,
    jax,
    lightning,
    mpi_program,
    ray,
    ray_end,
)
from tests.live.nodes.ways.way import Way

STEP = "step 15/"


def _small_disk(stage: Stage, *, leave_kib: int) -> str:
    at = stage.scratch / "checkpoints"
    stage.stack.enter_context(disk(stage.folder, at=at, mib=8))
    there = os.statvfs(at)
    free = there.f_bavail * there.f_frsize - leave_kib * 1024
    (at / "former.bin").write_bytes(bytes(free))
    return str(at)


def _served_shards(stage: Stage) -> tuple[Path, int]:
    folder, at = stage.folder / "served", stage.scratch / "data"
    folder.mkdir()
    for number in range(8):
        (folder / f"shard-{number:03}.bin").write_bytes(os.urandom(1 << 20))
    server = stage.stack.enter_context(served_files(folder, at=at, python=stage.python))
    return at, server


def _lightning_full(stage: Stage) -> None:
    lightning(stage, "--save", _small_disk(stage, leave_kib=20), "--steps", "100")
    stage.wait(90)


def _accelerate_full(stage: Stage) -> None:
    accelerate(stage, "--save", _small_disk(stage, leave_kib=40))
    stage.wait(90)


def _jax_full(stage: Stage) -> None:
    jax(stage, "--save", _small_disk(stage, leave_kib=2500))
    stage.wait(90)


def _mpi_full(stage: Stage) -> None:
    mpi_program(stage, "--save", _small_disk(stage, leave_kib=4000))
    stage.wait(60)


def _ray_full(stage: Stage) -> None:
    ray(stage, "--save", _small_disk(stage, leave_kib=2500))
    ray_end(stage)


def _deepspeed_read_only(stage: Stage) -> None:
    at = stage.scratch / "checkpoints"
    stage.stack.enter_context(disk(stage.folder, at=at, mib=8, options=("ro",)))
    deepspeed(stage, "--save", str(at))
    stage.wait(240)  # it may have to build its operators first


def _jax_server_killed(stage: Stage) -> None:
    at, server = _served_shards(stage)
    jax(stage, "--data", str(at), "--steps", "100")
    stage.wait_for(STEP)
    os.kill(server, signal.SIGKILL)
    stage.wait(75)


def _mpi_server_killed(stage: Stage) -> None:
    at, server = _served_shards(stage)
    mpi_program(stage, "--data", str(at), "--steps", "100")
    stage.wait_for(STEP)
    os.kill(server, signal.SIGKILL)
    stage.wait(60)


def _lightning_server_killed(stage: Stage) -> None:
    at, server = _served_shards(stage)
    lightning(stage, "--data", str(at), "--steps", "100", "--workers", "1")
    stage.wait_for("batch 15")
    os.kill(server, signal.SIGKILL)
    stage.wait(75)


SPEED, LIGHT, FAST = ("deepspeed",), ("lightning",), ("accelerate", "safetensors")
JAX, MPI, RAY, FUSE = ("jax",), ("mpi4py",), ("ray", "torch"), ("fuse",)
MAKES = ("mkfs.ext4", "losetup")
WAYS = (
    Way(name="lightning-disk-full", play=_lightning_full, needs=LIGHT, programs=MAKES),
    Way(name="accelerate-disk-full", play=_accelerate_full, needs=FAST, programs=MAKES),
    Way(name="jax-disk-full", play=_jax_full, needs=JAX, programs=MAKES),
    Way(name="mpi-disk-full", play=_mpi_full, needs=MPI, programs=("mpirun", *MAKES)),
    Way(name="ray-disk-full", play=_ray_full, needs=RAY, programs=MAKES),
    Way(name="deepspeed-read-only", play=_deepspeed_read_only, needs=SPEED, programs=MAKES),
    Way(name="jax-server-killed", play=_jax_server_killed, needs=(*JAX, *FUSE)),
    Way(
        name="mpi-server-killed",
        play=_mpi_server_killed,
        needs=(*MPI, *FUSE),
        programs=("mpirun",),
    ),
    Way(name="lightning-server-killed", play=_lightning_server_killed, needs=(*LIGHT, *FUSE)),
)
