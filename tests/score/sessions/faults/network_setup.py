# ruff: noqa: E501  the vendors' lines are long
"""Networks that never worked: addresses, limits, plug-ins, rendezvous, peer-to-peer."""

from collections.abc import Sequence

from tests.score.sessions import c10d, cascade, frameworks, launchers, life, nccl, slurm
from tests.score.sessions.c10d import Work
from tests.score.sessions.scene import Scene
from tests.score.sessions.truth import Told
from tests.score.truth import Answer


def _launched(scene: Scene) -> float:
    """Tell the launch; return the moment at which communicators are set up."""
    at = life.launch(scene, scene.world.started_at)
    frameworks.header(scene, at)
    return at + 8


def _everywhere(scene: Scene) -> list[int]:
    return list(range(scene.world.size))


def _set_up_fails(scene: Scene, ranks: Sequence[int], at: float, last: str, number: int) -> None:
    """Let set-up fail on those ranks and the session with them."""
    cascade.victims(scene, [], ranks, at, last, number=number)


def gid(scene: Scene) -> Told:
    """A wrong GID index: queue pairs never connect, on one host or on all."""
    scene.use_fabric("roce")
    at, rng = _launched(scene), scene.rng
    nccl.init(scene, at)
    telling = rng.choice(("one-host", "all", "retry-at-start"))
    place = scene.pick_host()
    hosts = scene.world.hosts
    here = [place] if telling == "one-host" else list(range(len(hosts)))
    if telling == "retry-at-start":
        moment = at + rng.uniform(38, 42)
        ranks = [host.place * 8 + rng.randrange(8) for host in hosts]
        for rank in ranks:
            nccl.completion_error(
                scene, rank, moment + rng.uniform(0, 2), (rank // 8 + 1) % len(hosts)
            )
        nccl.info(scene, 0, at - 2, "NCCL_IB_GID_INDEX set by environment to 0.")
        _set_up_fails(
            scene,
            ranks,
            moment + 3,
            f"NET/IB: Got completion from peer {nccl.peer(scene, 1)} with status=12 opcode=0 len=0 vendor err 129 (Send)",
            6,
        )
        answers = (Answer(layer="network", causes=("roce-gid", "rdma-retry-exceeded")),)
        return Told(answers=answers, kind="program", telling=telling)
    ranks = [one * 8 + local for one in here for local in range(8)]
    moment = at + rng.uniform(12, 20)
    error = "Call to ibv_modify_qp failed with 22 Invalid argument"
    for rank in ranks:
        to = hosts[(rank // 8 + 1) % len(hosts)]
        text = f"{error}, on dev mlx5_{rank % 8}:1, curr state INIT, next state RTR, local GID index 0, local GID fe80::ba3f:d2ff:fe{rank % 256:02x}:1c44, remote GID ::ffff:{to.fabric_ip}"
        nccl.warn(
            scene,
            rank,
            moment + rng.uniform(0, 1),
            ("misc/ibvwrap.cc:376", "wrap_ibv_modify_qp"),
            text,
        )
    _set_up_fails(scene, ranks, moment + 2, error, 2)
    blamed = (place,) if telling == "one-host" else ()
    answers = (Answer(layer="network", causes=("roce-gid",)),)
    return Told(answers=answers, hosts=blamed, kind="node", telling=telling)


def memlock(scene: Scene) -> Told:
    """Memory can't be registered: the limit of locked memory, on one host or on all."""
    scene.use_fabric("ib" if scene.world.fabric == "socket" else scene.world.fabric)
    at, rng = _launched(scene), scene.rng
    nccl.init(scene, at)
    telling = rng.choice(("one-host", "all"))
    place = scene.pick_host()
    ranks = _everywhere(scene) if telling == "all" else list(scene.world.ranks_of(place))
    moment = at + rng.uniform(10, 15)
    call = rng.choice(("ibv_create_cq", "ibv_reg_mr_iova2", "ibv_create_qp"))
    for rank in ranks:
        scene.rank(
            rank,
            moment - 3,
            "libibverbs: Warning: RLIMIT_MEMLOCK is 65536 bytes.\n    This will severely limit memory registrations.",
        )
        text = f"Call to {call} failed with error Cannot allocate memory errno 12"
        nccl.warn(
            scene, rank, moment + rng.uniform(0, 1), ("misc/ibvwrap.cc:252", f"wrap_{call}"), text
        )
    _set_up_fails(
        scene,
        ranks,
        moment + 2,
        f"Call to {call} failed with error Cannot allocate memory errno 12",
        2,
    )
    blamed = (place,) if telling == "one-host" else ()
    answers = (Answer(layer="network", causes=("rdma-registration",)),)
    return Told(answers=answers, hosts=blamed, kind="node", telling=telling)


def efa(scene: Scene) -> Told:
    """The libfabric plug-in finds no provider, so that NCCL has no network."""
    scene.use_fabric("efa")
    at, rng = _launched(scene), scene.rng
    telling = rng.choice(("no-provider", "one-host"))
    place = scene.pick_host()
    ranks = _everywhere(scene) if telling == "no-provider" else list(scene.world.ranks_of(place))
    for rank in ranks:
        moment = at + rng.uniform(0.5, 2)
        nccl.info(scene, rank, moment, "NET/OFI Initializing aws-ofi-nccl 1.13.2-aws")
        nccl.info(scene, rank, moment, "NET/OFI Using CUDA driver version 12040 with runtime 12040")
        nccl.warn(
            scene,
            rank,
            moment,
            ("platform_init:354", "platform_init"),
            "NET/OFI Couldn't find any optimal provider",
        )
        nccl.warn(
            scene,
            rank,
            moment + 0.1,
            ("nccl_net_ofi_create_plugin:262", "create"),
            "NET/OFI Unable to find a protocol that worked.  Failing initialization.",
        )
        nccl.info(scene, rank, moment + 0.1, "Failed to initialize NET plugin AWS Libfabric")
        nccl.warn(
            scene,
            rank,
            moment + 0.2,
            ("misc/ibvsymbols.cc:32", "buildIbvSymbols"),
            "Failed to open libibverbs.so[.1]",
        )
        nccl.warn(
            scene,
            rank,
            moment + 0.3,
            ("plugin/net.cc:349", "ncclNetInit"),
            "Failed to initialize any NET plugin",
        )
    _set_up_fails(scene, ranks, at + 4, "Failed to initialize any NET plugin", 3)
    blamed = (place,) if telling == "one-host" else ()
    answers = (Answer(layer="network", causes=("efa-plugin",)),)
    return Told(answers=answers, hosts=blamed, kind="program", telling=telling)


def wrong_interface(scene: Scene) -> Told:
    """NCCL or its root speaks from an address nobody else can reach."""
    at, rng = _launched(scene), scene.rng
    telling = rng.choice(("loopback", "bridge"))
    bad = {"loopback": ("lo", "127.0.0.1"), "bridge": ("docker0", "172.17.0.1")}[telling]
    error = {"loopback": "Connection refused", "bridge": "Connection refused"}[telling]
    for rank in range(scene.world.size):
        moment = at + rng.uniform(0, 2)
        name, address = (
            bad if rank < 8 or telling == "bridge" else (scene.world.netdev, scene.host(rank).ip)
        )
        nccl.info(scene, rank, moment, f"Bootstrap : Using {name}:{address}<0>")
    far = list(range(8, scene.world.size))
    port = rng.randrange(32000, 60000)
    for rank in far:
        for count in (1, 2, 3):
            nccl.info(
                scene,
                rank,
                at + 2 + count * 0.3,
                f"socketPollConnect: connect to {bad[1]}<{port}> returned {error}, retrying ({count}/34) after sleep for {count}00 msec",
            )
        moment = at + 62 + rng.uniform(0, 2)
        nccl.warn(
            scene,
            rank,
            moment,
            ("misc/socket.cc:573", "socketPollConnect"),
            f"socketPollConnect: connect to {bad[1]}<{port}> returned {error}, exceeded error retry count after 35 attempts",
        )
    _set_up_fails(
        scene,
        far,
        at + 65,
        f"socketPollConnect: connect to {bad[1]}<{port}> returned {error}, exceeded error retry count after 35 attempts",
        2 if rng.random() < 0.5 else 6,
    )
    answers = (Answer(layer="network", causes=("wrong-interface",)),)
    return Told(answers=answers, kind="program", telling=telling)


def rendezvous(scene: Scene) -> Told:
    """The store on the first host can't be reached: name, route or firewall."""
    world, rng = scene.world, scene.rng
    slurm.started(scene, world.started_at)
    telling = rng.choice(("no-route", "dns", "one-host"))
    master, port = world.called(0), world.master_port
    place = rng.choice(cascade.others(scene, [0]))
    places = [place] if telling == "one-host" else cascade.others(scene, [0])
    error = {
        "no-route": "errno: 113 - No route to host",
        "dns": "gai error: -3 - Temporary failure in name resolution",
        "one-host": "errno: 110 - Connection timed out",
    }[telling]
    said = (
        f"The client socket has failed to connect to [{master}]:{port} ({error})."
        if telling != "dns"
        else f"The IPv6 network addresses of ({master}, {port}) cannot be retrieved ({error})."
    )
    begun = world.started_at + 12
    for here in places:
        for rank in world.ranks_of(here):
            for count in range(4):
                moment = begun + count * 12 + rng.uniform(0, 3)
                scene.rank(
                    rank,
                    moment,
                    f"{c10d.stamp(scene, rank, moment, 'W', 752, 'socket.cpp')} [c10d] {said}",
                )
            raised = begun + 60 + rng.uniform(0, 2)
            kind = (
                "torch.distributed.DistNetworkError"
                if world.torch in {"2.3", "2.4", "2.7"}
                else "TimeoutError"
            )
            c10d.traceback(
                scene,
                rank,
                raised,
                [
                    "Traceback (most recent call last):",
                    '  File "/workspace/train.py", line 35, in <module>',
                    '    dist.init_process_group("nccl")',
                    f"{kind}: The client socket has timed out after 60000ms while trying to connect to ({master}, {port}).",
                ],
            )
        launchers.workers_failed(
            scene,
            here,
            begun + 64,
            {here * 8: 1},
            others=dict.fromkeys(range(here * 8 + 1, here * 8 + 8), 1),
        )
    cascade.job_killed(scene, places, begun + 68)
    blamed = (0, place) if telling == "one-host" else (0,) if telling == "no-route" else ()
    answers = (Answer(layer="network", causes=("rendezvous-unreachable", "wrong-interface")),)
    return Told(answers=answers, hosts=blamed, kind="node", telling=telling)


def peer_to_peer(scene: Scene) -> Told:
    """Peer-to-peer is broken by ACS or an IOMMU: the first collective never ends."""
    rng = scene.rng
    telling = rng.choice(("iommu", "local-protection"))
    scene.use_fabric("ib")
    at = _launched(scene)
    nccl.init(scene, at)
    place = scene.pick_host()
    host, begun = scene.world.hosts[place], at + 14
    first = Work(seq=1, op="ALLREDUCE", numel=1)
    if telling == "iommu":
        for count in range(12):
            local = count % 8
            scene.kernel(
                place,
                begun + count * 0.01,
                f"nvidia {host.gpu(local)}.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x00{30 + local} address=0x{rng.getrandbits(40):x} flags=0x0030]",
            )
        over = c10d.watchdog(scene, _everywhere(scene), begun, first)
        cascade.aborted(scene, _everywhere(scene), over + 1)
        answers = (
            Answer(layer="network", causes=("p2p-topology",)),
            Answer(layer="host", causes=("pcie-error",)),
        )
        return Told(
            answers=answers, hosts=(place,), kind="node", needs_kernel=(place,), telling=telling
        )
    ranks = []
    for one in scene.world.hosts:
        for local in rng.sample(range(8), 3):
            rank = one.place * 8 + local
            nccl.completion_error(
                scene,
                rank,
                begun + rng.uniform(0, 2),
                (one.place + 1) % len(scene.world.hosts),
                status=4,
                vendor=81,
            )
            ranks.append(rank)
    _set_up_fails(
        scene,
        sorted(ranks),
        begun + 3,
        f"NET/IB: Got completion from peer {nccl.peer(scene, 1)} with status=4 opcode=0 len=0 vendor err 81 (Send)",
        6,
    )
    refused = (Answer(layer="network", causes=("p2p-topology", "rdma-registration")),)
    return Told(answers=refused, kind="program", telling=telling)


FAULTS = {
    "wrong-gid": gid,
    "memlock": memlock,
    "efa-missing": efa,
    "wrong-interface": wrong_interface,
    "rendezvous": rendezvous,
    "peer-to-peer": peer_to_peer,
}
