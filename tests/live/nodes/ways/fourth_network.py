"""Ports, interfaces and connections that fail, in frameworks that had not met it before."""

from contextlib import suppress
from subprocess import TimeoutExpired

from tests.live.nodes.stage import Stage
from tests.live.nodes.ways.launchers import accelerate, jax
from tests.live.nodes.ways.other_host import STEP
from tests.live.nodes.ways.way import PORT, Way, torchrun

RESET = ("-j", "REJECT", "--reject-with", "tcp-reset")


def _accelerate_interface(stage: Stage) -> None:
    accelerate(stage, environment={"node-b": {"GLOO_SOCKET_IFNAME": "ib0"}})
    stage.wait(75)


def _jax_resets(stage: Stage) -> None:
    jax(stage, "--steps", "100")
    stage.wait_for(STEP)
    for each in ("node-a", "node-b"):
        stage.cluster.refuse(each, "-s", stage.cluster.address("node-c"), "-p", "tcp", *RESET)
    stage.wait(90)


def _other_server(stage: Stage, port: int) -> None:
    command = [stage.python, "-m", "http.server", str(port)]
    stage.start("node-a", command, log="other/server.log")
    stage.wait_for("Serving HTTP")


def _without_the_other_server(stage: Stage, limit: float) -> None:
    for each in stage.launchers[1:]:
        with suppress(TimeoutExpired):
            each.wait(timeout=limit)
    stage.end()
    for path in (stage.logs / "other").glob("*"):
        path.unlink()


def _torch_port(stage: Stage) -> None:
    _other_server(stage, PORT)
    torchrun(stage, "ddp", options=("--rdzv-conf", "read_timeout=15,timeout=15,join_timeout=20"))
    _without_the_other_server(stage, 40)


def _jax_port(stage: Stage) -> None:
    _other_server(stage, 29500)
    jax(stage, "--timeout", "15")
    _without_the_other_server(stage, 40)


TORCH, FAST, JAX = ("torch",), ("accelerate",), ("jax",)
WAYS = (
    Way(name="accelerate-interface-absent", play=_accelerate_interface, needs=FAST),
    Way(name="jax-connections-reset", play=_jax_resets, needs=JAX),
    Way(name="torch-port-taken", play=_torch_port, needs=TORCH),
    Way(name="jax-port-taken", play=_jax_port, needs=JAX),
)
