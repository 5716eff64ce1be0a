# ruff: noqa: E501  the vendors' lines are long
"""What NCCL prints, in the prefixes of old and new versions."""

from tests.score.sessions.scene import Scene

# version → file, line and function of the places that print; the text differs by version below
OLD = ("2.14.3", "2.18.5", "2.21.5")


def is_old(version: str) -> bool:
    """Say whether WARN lines of that version carry no time."""
    return version in OLD


def prefix(scene: Scene, rank: int) -> str:
    """Return `host:pid:tid [dev]` of a rank."""
    pid = scene.pid(rank)
    return f"{scene.world.called(rank // 8)}:{pid}:{pid + 400 + rank % 8} [{rank % 8}]"


def info(scene: Scene, rank: int, at: float, text: str) -> None:
    """Print an INFO line where the session prints such."""
    if scene.world.nccl_debug == "INFO":
        scene.rank(rank, at, f"{prefix(scene, rank)} NCCL INFO {text}", is_error=False)


def warn(
    scene: Scene,
    rank: int,
    at: float,
    where: tuple[str, str],
    text: str,
    *,
    late: float = 0.0,
) -> None:
    """Print a WARN line; `where` is (file:line, function)."""
    file, function = where
    version = scene.world.nccl
    name = f" ({function})" if version.startswith("2.30") else ""
    body = f"{prefix(scene, rank)} {file}{name} NCCL WARN {text}"
    if not is_old(version):
        body = f"[{scene.local(rank // 8, at):%Y-%m-%d %H:%M:%S}] {body}"
    scene.rank(rank, at, f"\n{body}", late=late, is_error=False)


def peer(scene: Scene, place: int, *, is_fabric: bool = False) -> str:
    """Return a host as NCCL writes a peer: address and port."""
    host = scene.world.hosts[place]
    return f"{host.fabric_ip if is_fabric else host.ip}<{scene.rng.randrange(32000, 60999)}>"


def completion_error(
    scene: Scene,
    rank: int,
    at: float,
    to: int,
    *,
    status: int = 12,
    vendor: int = 129,
    late: float = 0.0,
) -> None:
    """Print a failed completion of a rank's work towards the same GPU slot of host `to`."""
    names = {
        12: "IBV_WC_RETRY_EXC_ERR",
        5: "IBV_WC_WR_FLUSH_ERR",
        4: "IBV_WC_LOC_PROT_ERR",
        10: "IBV_WC_REM_ACCESS_ERR",
        11: "IBV_WC_REM_OP_ERR",
    }
    version, hca = scene.world.nccl, f"mlx5_{rank % 8}"
    gids = _gids(scene, rank // 8, to)
    who = peer(scene, to)
    if version == "2.14.3":
        where = ("transport/net_ib.cc:1295", "ncclIbTest")
        text = f"NET/IB : Got completion from peer {who} with error {status}, opcode 0, len 0, vendor err {vendor}"
    elif is_old(version):
        where = ("transport/net_ib.cc:1698", "ncclIbTest")
        text = f"NET/IB : Got completion from peer {who} with status={status} opcode=0 len=0 vendor err {vendor} (Send) {gids} hca {hca}"
    elif version.startswith("2.30"):
        where = ("transport/net_ib/p2p.cc:688", "ncclIbLogCompletionWithError")
        text = (
            f"NET/IB: Got completion from peer {who} with status={names[status]}({status}) "
            f"opcode=IBV_WC_RDMA_WRITE(1) vendor_err={vendor}  {gids} hca {hca}"
        )
    else:
        where = ("transport/net_ib.cc:2287", "ncclIbTest")
        text = f"NET/IB: Got completion from peer {who} with status={status} opcode=1 len=0 vendor err {vendor} (Send) {gids} hca {hca}"
    warn(scene, rank, at, where, text, late=late)


def _gids(scene: Scene, place: int, to: int) -> str:
    hosts = scene.world.hosts
    if scene.world.fabric == "roce":
        return f"localGid ::ffff:{hosts[place].fabric_ip} remoteGids::ffff:{hosts[to].fabric_ip}"
    return f"localGid fe80::a288:c2ff:fe{place:02x}:3b10 remoteGidsfe80::a288:c2ff:fe{to:02x}:44f0"


def async_event(
    scene: Scene, rank: int, at: float, event: str, *, device: int, late: float = 0.0
) -> None:
    """Print an asynchronous event of a port; every process of a host has every port open."""
    version, port = scene.world.nccl, f"mlx5_{device}:1"
    if version == "2.14.3":
        where = ("transport/net_ib.cc:94", "ncclIbAsyncThreadMain")
        text = f"NET/IB : Got async event : {event}"
    elif is_old(version):
        where = ("transport/net_ib.cc:117", "ncclIbAsyncThreadMain")
        text = f"NET/IB : {port} Got async event : {event}"
    elif event == "local catastrophic error":
        where = ("transport/net_ib/common.cc:123", "ncclIbAsyncThreadMain")
        text = f"NET/IB : {port} async fatal event: {event}"
    else:
        where = ("transport/net_ib/common.cc:179", "ncclIbAsyncThreadMain")
        code = {"port error": 10, "port active": 9, "GID table change": 18}.get(event, 10)
        text = f"NET/IB : {port} Got non-fatal async event: {event}({code})"
    warn(scene, rank, at, where, text, late=late)


def closed_by(scene: Scene, rank: int, at: float, to: int, *, late: float = 0.0) -> None:
    """Print that a peer on host `to` closed its socket."""
    version, host = scene.world.nccl, scene.world.hosts[to]
    port = scene.rng.randrange(32000, 60999)
    name = scene.world.called(to) if scene.world.is_in_pods else host.fqdn
    if is_old(version):
        text = f"Net : Connection closed by remote peer {name}<{port}>"
        warn(scene, rank, at, ("misc/socket.cc:49", "socketProgress"), text, late=late)
        return
    who = name if scene.rng.random() < 0.5 else host.ip
    text = f"socketProgress: Connection closed by remote peer {who}<{port}>"
    warn(scene, rank, at, ("misc/socket.cc:64", "socketProgress"), text, late=late)


def init(scene: Scene, at: float, *, comms: int = 1) -> float:
    """Print how all ranks set up their communicators; return when it was over."""
    world = scene.world
    root = f"NCCL version {world.nccl}+cuda12.{scene.rng.randrange(1, 9)}"
    scene.rank(0, at, root, is_error=False)
    commid = f"0x{scene.rng.getrandbits(60):016x}"
    for rank in range(world.size):
        _init_rank(scene, rank, at + scene.rng.uniform(0.1, 2.0), commid)
    for _ in range(comms - 1):
        _split(scene, at + 6 + scene.rng.uniform(0, 2))
    return at + 10


def _init_rank(scene: Scene, rank: int, at: float, commid: str) -> None:
    world, host, local = scene.world, scene.host(rank), rank % 8
    dev, bus = world.netdev, f"{int(host.buses[local], 16):x}000"
    info(scene, rank, at, f"Bootstrap : Using {dev}:{host.ip}<0>")
    info(
        scene,
        rank,
        at,
        "NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.",
    )
    info(scene, rank, at, "cudaDriverVersion 12040")
    info(scene, rank, at, _network(scene, host.ip))
    info(scene, rank, at + 0.1, f"Using network {_network_name(world.fabric)}")
    name = "ncclCommInitRankConfig" if not is_old(world.nccl) else "ncclCommInitRank"
    comm = f"0x55{scene.pid(rank):06x}{rank:04x}b0"
    line = f"{name} comm {comm} rank {rank} nranks {world.size} cudaDev {local} nvmlDev {local} busId {bus} commId {commid} - Init"
    if world.nccl == "2.14.3":
        line = f"comm {comm} rank {rank} nranks {world.size} cudaDev {local} busId {bus} - Init"
    else:
        info(scene, rank, at + 0.2, f"{line} START")
    info(scene, rank, at + 1.0, f"NVLS multicast support is not available on dev {local}")
    for channel in range(2):
        there = (rank + 8) % world.size
        link = "P2P/CUMEM/read" if rank % 8 < 7 else f"{_via(world.fabric)}/{local}/GDRDMA"
        to = rank + 1 if rank % 8 < 7 else there
        info(
            scene,
            rank,
            at + 2,
            f"Channel {channel:02d}/0 : {rank}[{local}] -> {to}[{to % 8}] via {link}",
        )
    info(scene, rank, at + 3, "Connected all rings")
    info(scene, rank, at + 3, "threadThresholds 8/8/64 | 512/8/64 | 512 | 512")
    info(scene, rank, at + 4, f"{line} COMPLETE")


def _split(scene: Scene, at: float) -> None:
    for rank in range(scene.world.size):
        host, local = scene.host(rank), rank % 8
        bus = f"{int(host.buses[local], 16):x}000"
        parent = f"0x55{scene.pid(rank):06x}{rank:04x}b0"
        info(
            scene,
            rank,
            at,
            f"ncclCommSplit comm 0x57{scene.pid(rank):06x}{rank:04x}d0 rank {local} nranks 8 cudaDev {local} "
            f"nvmlDev {local} busId {bus} parent {parent} childCount 1 color {rank // 8} key {local} - Init COMPLETE",
        )


def _via(fabric: str) -> str:
    return {"ib": "NET/IB", "roce": "NET/IB", "socket": "NET/Socket", "efa": "NET/AWS Libfabric"}[
        fabric
    ]


def _network_name(fabric: str) -> str:
    return {"ib": "IB", "roce": "IB", "socket": "Socket", "efa": "AWS Libfabric"}[fabric]


def _network(scene: Scene, ip: str) -> str:
    kind, dev = scene.world.fabric, scene.world.netdev
    if kind == "socket":
        return f"NET/Socket : Using [0]{dev}:{ip}<0>"
    if kind == "efa":
        return "NET/OFI Selected Provider is efa (found 4 nics)"
    layer = "RoCE" if kind == "roce" else "IB"
    ports = " ".join(f"[{i}]mlx5_{i}:1/{layer}" for i in range(8))
    return f"NET/IB : Using {ports} [RO]; OOB {dev}:{ip}<0>"


def abort_complete(scene: Scene, ranks: range | list[int], at: float) -> None:
    """Print the teardown of communicators on ranks."""
    for rank in ranks:
        host, local = scene.host(rank), rank % 8
        comm = f"0x55{scene.pid(rank):06x}{rank:04x}b0"
        bus = f"{int(host.buses[local], 16):x}000"
        moment = at + scene.rng.uniform(0, 2)
        info(
            scene,
            rank,
            moment,
            f"[Service thread] Connection closed by localRank {(local + 1) % 8}",
        )
        info(
            scene,
            rank,
            moment + 0.1,
            f"comm {comm} rank {rank} nranks {scene.world.size} cudaDev {local} busId {bus} - Abort COMPLETE",
        )
