"""Frameworks other than plain PyTorch: links, names, ports and interfaces that fail."""

from tests.live.nodes.cluster import BRIDGE
from tests.live.nodes.stage import Stage
from tests.live.nodes.ways.launchers import (
    accelerate,
    jax,
    lightning,
    mpi_program,
    ray,
    ray_end,
)
from tests.live.nodes.ways.way import Way

STEP = "step 15/"
SHORT = ("--rdzv_conf", "read_timeout=15,timeout=15,join_timeout=20")


def _port_log(stage: Stage, node: str) -> None:
    stage.keep_kernel("sw1", rf"{BRIDGE}: port \d\({node}\)", log="fabric/sw1.log")


def _lightning_link(stage: Stage) -> None:
    lightning(stage, "--steps", "100")
    stage.wait_for("batch 15")
    stage.cluster.link("node-b", "down")
    stage.wait(75)
    _port_log(stage, "node-b")


def _jax_link(stage: Stage) -> None:
    jax(stage, "--steps", "100")
    stage.wait_for(STEP)
    stage.cluster.link("node-c", "down")
    stage.wait(90)
    _port_log(stage, "node-c")


def _ray_link(stage: Stage) -> None:
    ray(stage, "--steps", "100")
    stage.wait_for(STEP)
    stage.cluster.link("node-b", "down")
    ray_end(stage)
    _port_log(stage, "node-b")


def _accelerate_node_off(stage: Stage) -> None:
    accelerate(stage)
    stage.wait_for(STEP)
    stage.cluster.power_off("node-b")
    stage.wait(75)


def _accelerate_refused(stage: Stage) -> None:
    reject = ("-p", "tcp", "--dport", "29700", "-j", "REJECT", "--reject-with", "tcp-reset")
    stage.cluster.refuse("node-a", "-s", stage.cluster.address("node-b"), *reject)
    accelerate(stage, options=SHORT)
    stage.wait(90)


def _lightning_interface(stage: Stage) -> None:
    lightning(stage, environment={"node-b": {"GLOO_SOCKET_IFNAME": "ib0"}})
    stage.wait(75)


def _mpi_interface(stage: Stage) -> None:
    mpi_program(stage, interface="ib0")
    stage.wait(60)


def _jax_name(stage: Stage) -> None:
    forget = {"node-b": "grep -v node-a /etc/hosts > hosts.b; cat hosts.b > /etc/hosts;"}
    jax(stage, "--timeout", "20", before=forget)
    stage.wait(90)


LIGHT, FAST = ("lightning",), ("accelerate", "safetensors")
JAX, MPI, RAY = ("jax",), ("mpi4py",), ("ray", "torch")
WAYS = (
    Way(name="lightning-link-down", play=_lightning_link, needs=LIGHT),
    Way(name="jax-link-down", play=_jax_link, needs=JAX),
    Way(name="ray-link-down", play=_ray_link, needs=RAY),
    Way(name="accelerate-node-off", play=_accelerate_node_off, needs=FAST),
    Way(name="accelerate-master-refused", play=_accelerate_refused, needs=FAST),
    Way(name="lightning-interface-absent", play=_lightning_interface, needs=LIGHT),
    Way(name="mpi-interface-absent", play=_mpi_interface, needs=MPI, programs=("mpirun",)),
    Way(name="jax-coordinator-name-unknown", play=_jax_name, needs=JAX),
)
