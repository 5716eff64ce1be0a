"""Programs, settings and images that are wrong, in frameworks that had not met it before."""

from pathlib import Path

from tests.live.nodes.stage import Stage
from tests.live.nodes.ways.fourth_host import ELASTIC
from tests.live.nodes.ways.launchers import jax, lightning, mpi_program
from tests.live.nodes.ways.way import Way, torchrun


def _restarts_used_up(stage: Stage) -> None:
    torchrun(stage, "ddp", "--fault", "raises", options=(*ELASTIC[:-1], "1"))
    stage.wait(150)


def _lightning_damaged(stage: Stage) -> None:
    path = stage.scratch / "last.ckpt"
    path.write_bytes(b"PK\x03\x04\x00\x00\x08\x08\x00\x00" + bytes(2000))
    lightning(stage, "--resume", str(path))
    stage.wait(75)


def _jax_raises(stage: Stage) -> None:
    jax(stage, "--fault", "raises")
    stage.wait(75)


def _mpi_module(stage: Stage) -> None:
    """The third node's image lacks the module."""
    [module] = Path(stage.python).parent.parent.glob("lib/python3.*/site-packages/mpi4py")
    mpi_program(stage, before=f"case $0 in node-c) mount -t tmpfs tmpfs {module};; esac;")
    stage.wait(60)


TORCH, LIGHT = ("torch",), ("lightning",)
WAYS = (
    Way(name="torch-restarts-used-up", play=_restarts_used_up, needs=TORCH),
    Way(name="lightning-checkpoint-damaged", play=_lightning_damaged, needs=LIGHT),
    Way(name="jax-raises", play=_jax_raises, needs=("jax",)),
    Way(name="mpi-module-missing", play=_mpi_module, needs=("mpi4py",), programs=("mpirun",)),
)
