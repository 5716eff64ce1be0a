"""JAX over three nodes on processors, broken in one way each."""

import signal

from tests.live.nodes.stage import Stage
from tests.live.nodes.ways.launchers import jax
from tests.live.nodes.ways.way import Way

STEP = "step 15/"


def _jax_killed(stage: Stage) -> None:
    jax(stage)
    stage.wait_for(STEP)
    stage.signal_rank(1, signal.SIGKILL)
    stage.wait(75)


def _jax_stopped(stage: Stage) -> None:
    jax(stage)
    stage.wait_for(STEP)
    stage.signal_rank(2, signal.SIGSTOP)
    stage.wait(75)


def _jax_node_off(stage: Stage) -> None:
    jax(stage)
    stage.wait_for(STEP)
    stage.cluster.power_off("node-c")
    stage.wait(75)


def _jax_coordinator_off(stage: Stage) -> None:
    jax(stage)
    stage.wait_for(STEP)
    stage.cluster.power_off("node-a")
    stage.wait(75)


def _jax_too_few(stage: Stage) -> None:
    jax(stage, "--timeout", "15", count=4)
    stage.wait(75)


def _jax_coordinator_refused(stage: Stage) -> None:
    reject = ("-p", "tcp", "--dport", "29500", "-j", "REJECT", "--reject-with", "tcp-reset")
    stage.cluster.refuse("node-a", "-s", stage.cluster.address("node-b"), *reject)
    jax(stage, "--timeout", "15")
    stage.wait(75)


def _jax_shape(stage: Stage) -> None:
    jax(stage, "--fault", "shape", "--on", "2")
    stage.wait(75)


def _jax_nan(stage: Stage) -> None:
    jax(stage, "--fault", "nan")
    stage.wait(75)


def _jax_healthy(stage: Stage) -> None:
    jax(stage, "--steps", "30")
    stage.wait(75)


JAX = ("jax",)
WAYS = (
    Way(name="jax-healthy", play=_jax_healthy, needs=JAX),
    Way(name="jax-process-killed", play=_jax_killed, needs=JAX),
    Way(name="jax-process-stopped", play=_jax_stopped, needs=JAX),
    Way(name="jax-node-off", play=_jax_node_off, needs=JAX),
    Way(name="jax-coordinator-off", play=_jax_coordinator_off, needs=JAX),
    Way(name="jax-too-few-processes", play=_jax_too_few, needs=JAX),
    Way(name="jax-coordinator-refused", play=_jax_coordinator_refused, needs=JAX),
    Way(name="jax-wrong-shape", play=_jax_shape, needs=JAX),
    Way(name="jax-loss-is-nan", play=_jax_nan, needs=JAX),
)
