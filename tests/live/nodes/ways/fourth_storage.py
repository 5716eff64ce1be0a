"""Disks and file servers that fail, in frameworks that had not met it before."""

from tests.live.nodes.stage import Stage
from tests.live.nodes.storage import disk
from tests.live.nodes.ways.launchers import (
    accelerate,
    jax,
    lightning,
    mpi_program,
    ray,
    ray_end,
)
from tests.live.nodes.ways.torch_storage import shards
from tests.live.nodes.ways.way import Way


def _read_only(stage: Stage) -> str:
    at = stage.scratch / "checkpoints"
    stage.stack.enter_context(disk(stage.folder, at=at, mib=8, options=("ro",)))
    return str(at)


def _accelerate_read_only(stage: Stage) -> None:
    accelerate(stage, "--save", _read_only(stage))
    stage.wait(75)


def _jax_read_only(stage: Stage) -> None:
    jax(stage, "--save", _read_only(stage))
    stage.wait(75)


def _mpi_read_only(stage: Stage) -> None:
    mpi_program(stage, "--save", _read_only(stage))
    stage.wait(60)


def _ray_read_only(stage: Stage) -> None:
    ray(stage, "--save", _read_only(stage))
    ray_end(stage)


def _lightning_reads_fail(stage: Stage) -> None:
    at = stage.scratch / "data"
    mounted = stage.stack.enter_context(disk(stage.folder, at=at, mib=64))
    shards(at)
    lightning(stage, "--data", str(at), "--steps", "100", "--workers", "1")
    stage.wait_for("batch 15")
    mounted.lose_contents(keep_kib=9000)
    stage.wait(75)


LIGHT, FAST = ("lightning",), ("accelerate",)
JAX, MPI, RAY = ("jax",), ("mpi4py",), ("ray", "torch")
MAKES = ("mkfs.ext4", "losetup")
WAYS = (
    Way(name="accelerate-read-only", play=_accelerate_read_only, needs=FAST, programs=MAKES),
    Way(name="jax-read-only", play=_jax_read_only, needs=JAX, programs=MAKES),
    Way(name="mpi-read-only", play=_mpi_read_only, needs=MPI, programs=("mpirun", *MAKES)),
    Way(name="ray-read-only", play=_ray_read_only, needs=RAY, programs=MAKES),
    Way(name="lightning-disk-reads-fail", play=_lightning_reads_fail, needs=LIGHT, programs=MAKES),
)
