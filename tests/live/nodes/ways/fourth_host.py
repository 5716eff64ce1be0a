"""Nodes and processes that end, in frameworks that had not met it before."""

import signal

from tests.live.nodes.stage import Stage
from tests.live.nodes.ways.launchers import (
    accelerate,
    lightning,
    mpi_program,
    ray,
    ray_end,
)
from tests.live.nodes.ways.other_host import OOM_LINES, SEGFAULT_LINES, STEP
from tests.live.nodes.ways.way import Way, torchrun

ELASTIC = ("--rdzv-backend", "c10d", "--rdzv-endpoint", "node-a:29400", "--max-restarts", "2")


def _elastic_store_off(stage: Stage) -> None:
    torchrun(stage, "ddp", "--steps", "100", options=ELASTIC)
    stage.wait_for(STEP)
    stage.cluster.power_off("node-a")
    stage.wait(100)


def _elastic_goes_on(stage: Stage) -> None:
    """The two that are left begin anew without the third, and finish."""
    torchrun(stage, "ddp", "--steps", "40", options=(*ELASTIC, "--nnodes", "2:3"))
    stage.wait_for(STEP)
    stage.cluster.power_off("node-c")
    stage.wait(150)


def _lightning_node_off(stage: Stage) -> None:
    lightning(stage, "--steps", "100")
    stage.wait_for("batch 15")
    stage.cluster.power_off("node-b")
    stage.wait(75)


def _lightning_segfault(stage: Stage) -> None:
    lightning(stage, "--fault", "segfault")
    stage.wait(75)
    stage.keep_kernel("node-b", SEGFAULT_LINES)


def _lightning_killed(stage: Stage) -> None:
    lightning(stage, "--steps", "100")
    stage.wait_for("batch 15")
    stage.signal_rank(1, signal.SIGKILL)
    stage.wait(75)


def _accelerate_memory(stage: Stage) -> None:
    enter = stage.cluster.limited("memory", "fast-b", {"memory.limit_in_bytes": str(1500 << 20)})
    accelerate(stage, "--fault", "memory", "--steps", "200", limits={"node-b": enter})
    stage.wait(90)
    stage.keep_kernel("node-b", OOM_LINES)


def _accelerate_told_to_end(stage: Stage) -> None:
    accelerate(stage, "--steps", "100")
    stage.wait_for(STEP)
    for each in stage.launchers:
        each.send_signal(signal.SIGTERM)
    stage.wait(60)


def _mpi_aborts(stage: Stage) -> None:
    mpi_program(stage, "--fault", "aborts")
    stage.wait(60)


def _ray_aborts(stage: Stage) -> None:
    ray(stage, "--fault", "aborts")
    ray_end(stage)


TORCH, LIGHT, FAST = ("torch",), ("lightning",), ("accelerate",)
MPI, RAY = ("mpi4py",), ("ray", "torch")
WAYS = (
    Way(name="torch-elastic-store-off", play=_elastic_store_off, needs=TORCH),
    Way(name="torch-elastic-goes-on-without-one", play=_elastic_goes_on, needs=TORCH),
    Way(name="lightning-node-off", play=_lightning_node_off, needs=LIGHT),
    Way(name="lightning-segfault", play=_lightning_segfault, needs=LIGHT),
    Way(name="lightning-rank-killed", play=_lightning_killed, needs=LIGHT),
    Way(name="accelerate-memory-limit", play=_accelerate_memory, needs=FAST),
    Way(name="accelerate-told-to-end", play=_accelerate_told_to_end, needs=FAST),
    Way(name="mpi-aborts", play=_mpi_aborts, needs=MPI, programs=("mpirun",)),
    Way(name="ray-aborts", play=_ray_aborts, needs=RAY),
)
