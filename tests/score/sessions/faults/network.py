# ruff: noqa: E501  the vendors' lines are long
"""Network faults in mid-run: ports, adapters, paths and switches."""

from tests.score.sessions import cascade, life, nccl
from tests.score.sessions.cluster import wall
from tests.score.sessions.life import Life
from tests.score.sessions.scene import Scene
from tests.score.sessions.truth import Told
from tests.score.truth import Answer

LINK = Answer(layer="network", causes=("link-down",))
RETRY = Answer(layer="network", causes=("rdma-retry-exceeded",))
PATH = Answer(layer="network", causes=("rdma-retry-exceeded", "link-down", "fabric-congestion"))


def _on_rdma(scene: Scene, *fabrics: str) -> None:
    """Make sure the session runs over a fabric that can break so."""
    if scene.world.fabric not in fabrics:
        scene.use_fabric(scene.rng.choice(fabrics))


def _last(scene: Scene, to: int) -> str:
    return f"NET/IB: Got completion from peer {nccl.peer(scene, to)} with status=12 opcode=0 len=0 vendor err 129 (Send)"


def _peers_fail(scene: Scene, one: Life, place: int, local: int, begun: float) -> None:
    """Let the peers of a host's port run out of retries, then flush, and the session end."""
    rng, rest = scene.rng, cascade.others(scene, [place])
    near = rng.sample(rest, min(len(rest), rng.randrange(2, 6)))
    ranks = [other * 8 + local for other in near]
    for rank in ranks:
        moment = begun + rng.uniform(0, 1.5)
        nccl.completion_error(scene, rank, moment, place)
        nccl.completion_error(scene, rank, moment + 0.01, place, status=5, vendor=249)
    if rng.random() < 0.35:
        cascade.hang(scene, one, ranks, at=one.stopped_at + 0.5)
        return
    if rng.random() < 0.5:  # its own end of the link fails as well
        nccl.completion_error(scene, place * 8 + local, begun + 0.7, near[0], late=2)
    cascade.victims(scene, [place], ranks, begun + 2, _last(scene, place))


def port_down(scene: Scene) -> Told:
    """A port goes down: seen by the kernel, by NCCL on all ranks of the host, or after a flap."""
    rng = scene.rng
    telling = rng.choice(("kernel", "module", "nccl-only", "flap-twice"))
    _on_rdma(scene, *(("roce",) if telling in {"kernel", "module"} else ("ib", "roce")))
    one = life.run(scene)
    place, local = scene.pick_host(), rng.randrange(8)
    host, at = scene.world.hosts[place], one.stopped_at + rng.uniform(0.3, 3)
    nic = f"mlx5_core {host.nic(local)}"
    if telling == "flap-twice":
        early = at - rng.uniform(20, 90)
        _port_events(scene, place, local, early, "port error")
        _port_events(scene, place, local, early + 8, "port active")
    if telling == "module":
        what = rng.choice(
            ("module 0, Cable unplugged", "module 0, Cable error, Bus stuck (I2C or data shorted)")
        )
        word = "Port module event[error]" if "error" in what else "Port module event"
        scene.kernel(place, at - 0.05, f"{nic}: {word}: {what}")
    if telling in {"kernel", "module"}:
        scene.kernel(place, at, f"{nic} ens{local}f0np0: Link down")
    if telling != "kernel" or rng.random() < 0.7:
        _port_events(scene, place, local, at, "port error", late=rng.choice((0.0, 0.0, 45.0)))
    _peers_fail(scene, one, place, local, at + rng.uniform(28, 34))
    needs = (place,) if telling in {"kernel", "module"} else ()
    return Told(answers=(LINK,), hosts=(place,), kind="nic", needs_kernel=needs, telling=telling)


def _port_events(
    scene: Scene, place: int, device: int, at: float, event: str, *, late: float = 0.0
) -> None:
    for rank in scene.world.ranks_of(place):
        moment = at + scene.rng.uniform(0, 0.2)
        nccl.async_event(scene, rank, moment, event, device=device, late=late)


def adapter_fatal(scene: Scene) -> Told:
    """An adapter's firmware dies: health poll, asserts, local catastrophic error."""
    _on_rdma(scene, "ib", "roce")
    one, rng = life.run(scene), scene.rng
    place, local = scene.pick_host(), rng.randrange(8)
    at = one.stopped_at + rng.uniform(0.3, 3)
    nic = f"mlx5_core {scene.world.hosts[place].nic(local)}"
    telling = rng.choice(("kernel", "both", "nccl-only"))
    if telling != "nccl-only":
        scene.kernel(
            place,
            at,
            f"{nic}: poll_health:825:(pid 0): device's health compromised - reached miss count",
            f"{nic}: print_health_info:423:(pid 0): Health issue observed, firmware internal error, severity(3) ERROR:",
            *(
                f"{nic}: print_health_info:427:(pid 0): assert_var[{i}] 0x{rng.getrandbits(32):08x}"
                for i in range(6)
            ),
            f"{nic}: print_health_info:430:(pid 0): assert_exit_ptr 0x{rng.getrandbits(32):08x}",
            f"{nic}: print_health_info:434:(pid 0): fw_ver 28.39.1002",
            f"{nic}: print_health_info:446:(pid 0): irisc_index 5",
            f"{nic}: print_health_info:447:(pid 0): synd {rng.choice(('0x1: firmware internal error', '0x7: irisc not responding', '0x8: unrecoverable hardware error'))}",
            f"{nic}: mlx5_health_try_recover:334:(pid 77): handling bad device here",
        )
    if telling != "kernel":
        for rank in scene.world.ranks_of(place):
            nccl.async_event(
                scene, rank, at + rng.uniform(0, 0.2), "local catastrophic error", device=local
            )
    _peers_fail(scene, one, place, local, at + rng.uniform(28, 34))
    needs = () if telling == "nccl-only" else (place,)
    return Told(answers=(LINK,), hosts=(place,), kind="nic", needs_kernel=needs, telling=telling)


def retries(scene: Scene) -> Told:
    """Paths to one host run out of retries; the host is alive and says the same of its peers."""
    _on_rdma(scene, "ib", "roce")
    one, rng = life.run(scene), scene.rng
    place = scene.pick_host()
    rest = cascade.others(scene, [place])
    at = one.stopped_at + rng.uniform(29, 34)
    near = rng.sample(rest, min(len(rest), rng.randrange(3, 7)))
    ranks = []
    for other in near:
        for local in rng.sample(range(8), rng.randrange(2, 5)):
            moment = at + rng.uniform(0, 3)
            nccl.completion_error(scene, other * 8 + local, moment, place)
            nccl.completion_error(scene, place * 8 + local, moment + rng.uniform(-0.5, 0.5), other)
            ranks.append(other * 8 + local)
    mine = [place * 8 + local for local in range(0, 8, 3)]
    cascade.victims(scene, [], sorted({*ranks, *mine}), at + 4, _last(scene, place))
    return Told(answers=(PATH,), hosts=(place,), kind="node", telling="many-to-one")


def switch_port(scene: Scene) -> Told:
    """A leaf switch loses ports or dies: its own log, or one rail of many hosts at once."""
    telling = scene.rng.choice(("switch-log", "rail"))
    _on_rdma(scene, *(("roce",) if telling == "switch-log" else ("ib", "roce")))
    one, rng = life.run(scene), scene.rng
    local = rng.randrange(8)
    at = one.stopped_at + rng.uniform(0.3, 3)
    count = 1 if telling == "switch-log" else len(scene.world.hosts)
    places = sorted(rng.sample(range(len(scene.world.hosts)), count))
    for place in places:
        host = scene.world.hosts[place]
        if telling == "switch-log":
            stamp = wall(at=at, zone=scene.world.kernel_zone)
            head = f"{stamp:%b} {stamp.day:2d} {stamp:%H:%M:%S} leaf-{local + 1:02d}"
            scene.stream(
                "fabric",
                at,
                f"{head} Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet{place + 1}/1 ({host.name} mlx5_{local}), changed state to down",
            )
            scene.stream(
                "fabric",
                at + 0.4,
                f"{head} Rib: %BGP-5-ADJCHANGE: peer 172.31.{place}.1 old state Established event HoldTime new state Idle",
            )
        _port_events(scene, place, local, at + rng.uniform(0, 0.4), "port error")
    moment = at + rng.uniform(28, 34)
    if len(places) > 1:
        for place in places:
            nccl.completion_error(
                scene, place * 8 + local, moment + rng.uniform(0, 2), (place + 1) % count
            )
        cascade.victims(
            scene, [], [place * 8 + local for place in places], moment + 3, _last(scene, places[0])
        )
    else:
        _peers_fail(scene, one, places[0], local, moment)
    kind = "nic" if telling == "switch-log" else "switch"
    hosts = tuple(places) if telling == "switch-log" else ()
    return Told(answers=(LINK,), hosts=hosts, kind=kind, telling=telling)


def socket_timeout(scene: Scene) -> Told:
    """TCP between two hosts that are alive goes dead: both ends time out."""
    _on_rdma(scene, "socket")
    one, rng = life.run(scene), scene.rng
    place = scene.pick_host()
    other = scene.pick_host(but=place)
    telling = rng.choice(("timed-out", "no-route"))
    error = {"timed-out": "Connection timed out", "no-route": "No route to host"}[telling]
    at = one.stopped_at + rng.uniform(60, 130)
    pairs = (
        [(place, other), (other, place)]
        if telling == "timed-out"
        else [(one_, place) for one_ in cascade.others(scene, [place])]
    )
    ranks = []
    for here, there in pairs:
        for local in rng.sample(range(8), 3):
            rank, moment = here * 8 + local, at + rng.uniform(0, 2)
            text = (
                f"socketProgressOpt: Call to recv from {nccl.peer(scene, there)} failed : {error}"
            )
            nccl.warn(scene, rank, moment, ("misc/socket.cc:50", "socketProgressOpt"), text)
            nccl.warn(
                scene,
                rank,
                moment,
                ("transport/net_socket.cc:493", "ncclNetSocketTest"),
                f"NET/Socket : peer {nccl.peer(scene, there)} : {error}",
            )
            ranks.append(rank)
    last = f"socketProgressOpt: Call to recv from {nccl.peer(scene, place)} failed : {error}"
    cascade.victims(scene, [], sorted(ranks), at + 2, last, number=2)
    hosts = (place, other) if telling == "timed-out" else (place,)
    answers = (Answer(layer="network", causes=("socket-failure",)),)
    return Told(answers=answers, hosts=hosts, kind="node", telling=telling)


def gid_change(scene: Scene) -> Told:
    """The GID table of one port changes in mid-run and its peers lose it."""
    _on_rdma(scene, "roce")
    one, rng = life.run(scene), scene.rng
    place, local = scene.pick_host(), rng.randrange(8)
    at = one.stopped_at + rng.uniform(0.3, 3)
    for rank in scene.world.ranks_of(place):
        nccl.async_event(scene, rank, at + rng.uniform(0, 0.2), "GID table change", device=local)
    _peers_fail(scene, one, place, local, at + rng.uniform(28, 34))
    answers = (Answer(layer="network", causes=("roce-gid", "link-down", "rdma-retry-exceeded")),)
    return Told(answers=answers, hosts=(place,), kind="nic", telling="table-change")


FAULTS = {
    "port-down": port_down,
    "adapter-fatal": adapter_fatal,
    "retries-to-one-host": retries,
    "switch-port": switch_port,
    "socket-timeout": socket_timeout,
    "gid-change": gid_change,
}
