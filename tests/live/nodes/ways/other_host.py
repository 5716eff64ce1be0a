"""Frameworks other than plain PyTorch: memory that ends, signals, and processes that crash."""

import signal

from tests.live.nodes.stage import Stage
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
BUILDS = 240.0  # seconds; DeepSpeed may have to build its operators first
SEGFAULT_LINES = r"python.*segfault|Code:"
OOM_LINES = r"oom|Memory cgroup|memory:|Killed process|\[ *\d+\] +\d+ "


def _enter(stage: Stage, name: str, mib: int) -> str:
    return stage.cluster.limited("memory", name, {"memory.limit_in_bytes": str(mib << 20)})


def _lightning_memory(stage: Stage) -> None:
    enter = {"node-b": _enter(stage, "lightning-b", 1800)}
    lightning(stage, "--fault", "memory", "--steps", "200", limits=enter)
    stage.wait(90)
    stage.keep_kernel("node-b", OOM_LINES)


def _jax_memory(stage: Stage) -> None:
    enter = {"node-b": _enter(stage, "jax-b", 900)}
    jax(stage, "--fault", "memory", "--steps", "200", limits=enter)
    stage.wait(90)
    stage.keep_kernel("node-b", OOM_LINES)


def _mpi_memory(stage: Stage) -> None:
    enter = _enter(stage, "mpi-a", 500)
    mpi_program(stage, "--fault", "memory", "--on", "0", "--steps", "200", limits=enter)
    stage.wait(75)
    stage.keep_kernel("node-a", OOM_LINES)


def _accelerate_segfault(stage: Stage) -> None:
    accelerate(stage, "--fault", "segfault")
    stage.wait(75)


def _deepspeed_segfault(stage: Stage) -> None:
    deepspeed(stage, "--fault", "segfault")
    stage.wait(BUILDS)


def _jax_segfault(stage: Stage) -> None:
    jax(stage, "--fault", "segfault", "--on", "2")
    stage.wait(75)
    stage.keep_kernel("node-c", SEGFAULT_LINES)


def _ray_segfault(stage: Stage) -> None:
    ray(stage, "--fault", "segfault")
    ray_end(stage)


def _deepspeed_exits(stage: Stage) -> None:
    deepspeed(stage, "--fault", "exits")
    stage.wait(BUILDS)


def _deepspeed_told_to_end(stage: Stage) -> None:
    deepspeed(stage)
    stage.wait_for(STEP, limit=BUILDS)
    stage.launchers[0].send_signal(signal.SIGTERM)
    stage.wait(60)


def _jax_told_to_end(stage: Stage) -> None:
    jax(stage, "--steps", "100")
    stage.wait_for(STEP)
    for each in stage.launchers:
        each.send_signal(signal.SIGTERM)
    stage.wait(60)


def _lightning_interrupted(stage: Stage) -> None:
    lightning(stage)
    stage.wait_for("batch 15")
    for each in stage.launchers:
        each.send_signal(signal.SIGINT)
    stage.wait(60)


SPEED, LIGHT, FAST = ("deepspeed",), ("lightning",), ("accelerate", "safetensors")
JAX, MPI, RAY = ("jax",), ("mpi4py",), ("ray", "torch")
WAYS = (
    Way(name="lightning-memory-limit", play=_lightning_memory, needs=LIGHT),
    Way(name="jax-memory-limit", play=_jax_memory, needs=JAX),
    Way(name="mpi-memory-limit", play=_mpi_memory, needs=MPI, programs=("mpirun",)),
    Way(name="accelerate-segfault", play=_accelerate_segfault, needs=FAST),
    Way(name="deepspeed-segfault", play=_deepspeed_segfault, needs=SPEED),
    Way(name="jax-segfault", play=_jax_segfault, needs=JAX),
    Way(name="ray-segfault", play=_ray_segfault, needs=RAY),
    Way(name="deepspeed-rank-exits", play=_deepspeed_exits, needs=SPEED),
    Way(name="deepspeed-told-to-end", play=_deepspeed_told_to_end, needs=SPEED),
    Way(name="jax-told-to-end", play=_jax_told_to_end, needs=JAX),
    Way(name="lightning-interrupted", play=_lightning_interrupted, needs=LIGHT),
)
