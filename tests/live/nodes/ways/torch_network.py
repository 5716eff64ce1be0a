"""PyTorch over three nodes whose network, names or clocks break."""

from tests.live.nodes.cluster import BRIDGE
from tests.live.nodes.stage import Stage
from tests.live.nodes.ways.way import PORT, Way, torchrun

STEP = "step 15/"


def _link_down(stage: Stage) -> None:
    torchrun(stage, "ddp", "--steps", "100")
    stage.wait_for(STEP)
    stage.cluster.link("node-c", "down")
    stage.wait(60)
    stage.keep_kernel("sw1", rf"{BRIDGE}: port \d\(node-c\)", log="fabric/sw1.log")


def _link_flaps(stage: Stage) -> None:
    torchrun(stage, "ddp", "--steps", "100")
    for seen, state in (("step 10/", "down"), ("step 10/", "up")):
        stage.wait_for(seen)
        stage.cluster.link("node-b", state)
    stage.wait(60)
    stage.keep_kernel("sw1", rf"{BRIDGE}: port \d\(node-b\)", log="fabric/sw1.log")


def _partition(stage: Stage) -> None:
    torchrun(stage, "ddp", "--steps", "100")
    stage.wait_for(STEP)
    for one, other in (("node-a", "node-c"), ("node-c", "node-a")):
        stage.cluster.refuse(one, "-s", stage.cluster.address(other), "-j", "DROP")
    stage.wait(60)


def _resets(stage: Stage) -> None:
    torchrun(stage, "ddp", "--steps", "100")
    stage.wait_for(STEP)
    reject = ("-p", "tcp", "-j", "REJECT", "--reject-with", "tcp-reset")
    for each in ("node-a", "node-b"):
        stage.cluster.refuse(each, "-s", stage.cluster.address("node-c"), *reject)
    stage.wait(60)


def _refused(stage: Stage) -> None:
    reject = ("-p", "tcp", "--dport", str(PORT), "-j", "REJECT", "--reject-with", "tcp-reset")
    stage.cluster.refuse("node-a", "-s", stage.cluster.address("node-c"), *reject)
    torchrun(stage, "ddp", options=("--rdzv-conf", "read_timeout=15,timeout=15,join_timeout=20"))
    stage.wait(75)


def _unresolved(stage: Stage) -> None:
    torchrun(
        stage,
        "ddp",
        options=("--rdzv-conf", "read_timeout=15,timeout=15,join_timeout=20"),
        before={"node-b": "grep -v node-a /etc/hosts > hosts.b; cat hosts.b > /etc/hosts;"},
    )
    stage.wait(75)


def _unreachable(stage: Stage) -> None:
    """A second interface in a network of its own, whose address is the smaller one.

    Of two ranks, Gloo has the one with the greater address connect to the other.
    """
    second = (
        "ip link add eth1 type veth peer name peer1; ip addr add 10.9.0.2/24 dev eth1; "
        "ip link set eth1 up; ip link set peer1 up;"
    )
    named = {"node-b": {"GLOO_SOCKET_IFNAME": "eth1"}}
    torchrun(stage, "ddp", before={"node-b": second}, environment=named)
    stage.wait(90)


def _no_such_interface(stage: Stage) -> None:
    named = {"node-c": {"GLOO_SOCKET_IFNAME": "ib0"}}
    torchrun(stage, "ddp", environment=named)
    stage.wait(60)


def _clock_off(stage: Stage) -> None:
    torchrun(
        stage,
        "ddp",
        *("--steps", "100", "--assert-on", "1"),
        prefix={"node-b": ["faketime", "-f", "+7200s"]},
    )
    stage.wait(75)


def _node_off(stage: Stage) -> None:
    torchrun(stage, "ddp", "--steps", "100")
    stage.wait_for(STEP)
    stage.cluster.power_off("node-b")
    stage.wait(75)


def _store_gone(stage: Stage) -> None:
    torchrun(stage, "ddp", "--steps", "100")
    stage.wait_for(STEP)
    stage.cluster.power_off("node-a")
    stage.wait(75)


def _healthy_lossy(stage: Stage) -> None:
    statistic = ("-m", "statistic", "--mode", "random", "--probability", "0.03", "-j", "DROP")
    stage.cluster.refuse("node-b", *statistic)
    torchrun(stage, "ddp", "--steps", "30")
    stage.wait(120)


TORCH = ("torch",)
WAYS = (
    Way(name="torch-link-down", play=_link_down, needs=TORCH),
    Way(name="torch-link-flaps-but-done", play=_link_flaps, needs=TORCH),
    Way(name="torch-partition", play=_partition, needs=TORCH),
    Way(name="torch-connections-reset", play=_resets, needs=TORCH),
    Way(name="torch-store-refused", play=_refused, needs=TORCH),
    Way(name="torch-master-name-unknown", play=_unresolved, needs=TORCH),
    Way(name="torch-interface-unreachable", play=_unreachable, needs=TORCH),
    Way(name="torch-interface-absent", play=_no_such_interface, needs=TORCH),
    Way(name="torch-clock-two-hours-off", play=_clock_off, needs=TORCH, programs=("faketime",)),
    Way(name="torch-node-off", play=_node_off, needs=TORCH),
    Way(name="torch-node-with-store-off", play=_store_gone, needs=TORCH),
    Way(name="torch-lossy-but-done", play=_healthy_lossy, needs=TORCH),
)
