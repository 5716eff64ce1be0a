"""NCCL: INFO at launch, WARN when a transport breaks. Formats differ by version."""

from apps.simulator.world.machines.cluster import GPU_BUSES, SimulatedNode
from apps.simulator.world.noise import digest
from apps.simulator.world.story import SimulatedAttempt

_NET_FILE = {
    "wc": ("transport/net_ib.cc:1345", "transport/net_ib.cc:2406", "transport/net_ib/p2p.cc:701"),
    "async": (
        "transport/net_ib.cc:117",
        "transport/net_ib.cc:203",
        "transport/net_ib/common.cc:181",
    ),
}


def _era(attempt: SimulatedAttempt) -> int:
    """Return 0 before 2.20, 1 before 2.30, 2 from there on: the places where the texts changed."""
    return (attempt.style.nccl >= (2, 20, 0)) + (attempt.style.nccl >= (2, 30, 0))


def _who(attempt: SimulatedAttempt, rank: int, *, thread: int = 0) -> str:
    pid = attempt.pid(rank)
    return f"{attempt.host(rank)}:{pid}:{pid + 180 + thread} [{attempt.gpu(rank)}]"


def info(*, attempt: SimulatedAttempt, rank: int, text: str, thread: int = 0) -> str:
    """Return an INFO line; it carries no time."""
    return f"{_who(attempt, rank, thread=thread)} NCCL INFO {text}"


def warn(
    *, attempt: SimulatedAttempt, node: SimulatedNode, rank: int, at: float, place: str, text: str
) -> str:
    """Return a WARN record: an empty line, since 2.26 a local time, since 2.30 the function."""
    source, _, function = place.partition(" ")
    stamp = ""
    if attempt.style.nccl >= (2, 26, 0):
        stamp = f"[{node.local(at, attempt.zone(node)):%Y-%m-%d %H:%M:%S}] "
    named = f"{source} ({function})" if function and attempt.style.nccl >= (2, 30, 0) else source
    return f"\n{stamp}{_who(attempt, rank, thread=3)} {named} NCCL WARN {text}"


def version(*, attempt: SimulatedAttempt) -> str:
    """Return the version banner of rank 0."""
    number = ".".join(str(part) for part in attempt.style.nccl)
    return f"NCCL version {number}+cuda{'12.9' if _era(attempt) else '12.2'}"


def communicator(*, attempt: SimulatedAttempt, rank: int) -> str:
    """Return the address of a rank's communicator."""
    low = digest(seed=attempt.seed, name=f"comm/{attempt.key}/{rank}") % (1 << 32)
    return f"0x{0x55D000000000 + low:x}"


def launch(*, attempt: SimulatedAttempt, node: SimulatedNode, rank: int) -> list[str]:
    """Return what one rank prints while its communicator is set up."""
    gpu, world = attempt.gpu(rank), attempt.world_size
    identity = f"0x{digest(seed=attempt.seed, name=f'commid/{attempt.key}'):x}"
    what = (
        f"ncclCommInitRankConfig comm {communicator(attempt=attempt, rank=rank)} rank {rank} "
        f"nranks {world} cudaDev {gpu} nvmlDev {gpu} busId {GPU_BUSES[gpu]}000 commId {identity}"
    )
    cards = " ".join(f"[{i}]mlx5_{i}:1/RoCE" for i in range(8))
    following, before = (rank + 8) % world, (rank - 8) % world
    texts = [
        f"Bootstrap: Using enp1s0f0:{node.ip}<0>",
        "NET/Plugin: Could not find: libnccl-net.so. Using internal net plugin.",
        f"NET/IB : Using {cards} [RO]; OOB enp1s0f0:{node.ip}<0>",
        "Using network IB",
        f"DMA-BUF is available on GPU device {gpu}",
        f"{what} - Init START",
        f"NVLS multicast support is available on dev {gpu} (NVLS_NCHANNELS 24)",
        (
            f"comm {communicator(attempt=attempt, rank=rank)} rank {rank} nRanks {world} "
            f"nNodes {world // 8} localRanks 8 localRank {gpu} MNNVL 0"
        ),
        f"Trees [0] {before}/-1/-1->{rank}->{following} [1] {before}/-1/-1->{rank}->{following}",
        "P2P Chunksize set to 131072",
        f"Channel 00/0 : {before}[{gpu}] -> {rank}[{gpu}] [receive] via NET/IB/{gpu}/GDRDMA",
        f"Channel 00/0 : {rank}[{gpu}] -> {following}[{gpu}] [send] via NET/IB/{gpu}/GDRDMA",
        (
            f"Channel 01/0 : {rank}[{gpu}] -> "
            f"{rank // 8 * 8 + (gpu + 1) % 8}[{(gpu + 1) % 8}] via P2P/CUMEM"
        ),
        "Connected all rings, use ring PXN 0 GDR 1",
        "threadThresholds 8/8/64 | 4096/8/64 | 512 | 512",
        (
            "24 coll channels, 24 collnet channels, 16 nvls channels, 32 p2p channels, 2 p2p "
            "channels per peer"
        ),
        f"{what} - Init COMPLETE",
    ]
    return [info(attempt=attempt, rank=rank, text=text) for text in texts]


def retries_exhausted(
    *,
    attempt: SimulatedAttempt,
    node: SimulatedNode,
    rank: int,
    at: float,
    peer: SimulatedNode,
    is_receive: bool,
) -> str:
    """Return what a rank prints when its port gave up on a peer (completion status 12)."""
    rail = attempt.gpu(rank)
    port = 40000 + digest(seed=attempt.seed, name=f"port/{attempt.key}/{rank}") % 20000
    side = "Recv" if is_receive else "Send"
    address = f"{peer.ip}<{port}>"
    mine, theirs = f"::ffff:{node.rail_ip(rail)}", f"::ffff:{peer.rail_ip(rail)}"
    era = _era(attempt)
    text = (
        (
            f"NET/IB : Got completion from peer {address} with error 12, opcode "
            f"{129 if is_receive else 1}, "
            f"len 0, vendor err 129 ({side})"
        ),
        (
            f"NET/IB: Got completion from peer {address} with status=12 "
            f"opcode={129 if is_receive else 1} "
            f"len=0 vendor err 129 ({side}) localGid {mine} remoteGids{theirs} hca mlx5_{rail}"
        ),
        (
            f"NET/IB: Got completion from peer {address} with status=IBV_WC_RETRY_EXC_ERR(12) "
            f"opcode=IBV_WC_{'RECV_RDMA_WITH_IMM(129)' if is_receive else 'RDMA_WRITE(1)'} "
            "vendor_err=129 "
            f" localGid {mine} remoteGids{theirs} hca mlx5_{rail}"
        ),
    )[era]
    place = f"{_NET_FILE['wc'][era]} ncclIbLogCompletionWithError"
    return warn(attempt=attempt, node=node, rank=rank, at=at, place=place, text=text)


def port_event(
    *, attempt: SimulatedAttempt, node: SimulatedNode, rank: int, at: float, event: str
) -> str:
    """Return what the asynchronous thread says when its own port goes down or comes back."""
    rail, era = attempt.gpu(rank), _era(attempt)
    number = {"port error": 10, "port active": 9}[event]
    text = (
        f"NET/IB : mlx5_{rail}:1 Got async event : {event}",
        f"NET/IB : mlx5_{rail}:1 Got async error event: {event}",
        f"NET/IB : mlx5_{rail}:1 Got non-fatal async event: {event}({number})",
    )[era]
    place = f"{_NET_FILE['async'][era]} ncclIbAsyncThreadMain"
    return warn(attempt=attempt, node=node, rank=rank, at=at, place=place, text=text)


def peer_closed(
    *, attempt: SimulatedAttempt, node: SimulatedNode, rank: int, at: float, peer: SimulatedNode
) -> str:
    """Return what a rank prints when the process at the other end of a socket is gone."""
    port = 40000 + digest(seed=attempt.seed, name=f"sock/{attempt.key}/{rank}") % 20000
    if _era(attempt) == 2:
        text = (
            f"ncclOsSocketProgressOpt: Call to recv from {peer.ip}<{port}> failed : "
            "Connection reset by peer"
        )
        place = "os/linux.cc:371 ncclOsSocketProgressOpt"
    elif _era(attempt) == 1:
        text = (
            "socketProgress: Connection closed by remote peer "
            f"{peer.name}.meridian.aurora.example<{port}>"
        )
        place = "misc/socket.cc:71 socketProgress"
    else:
        text = f"socketProgress: Connection closed by remote peer {peer.ip}<{port}>"
        place = "misc/socket.cc:49"
    return warn(attempt=attempt, node=node, rank=rank, at=at, place=place, text=text)


def cuda_failure(
    *, attempt: SimulatedAttempt, node: SimulatedNode, rank: int, at: float, code: int, text: str
) -> str:
    """Return what NCCL prints when the CUDA driver refuses a call."""
    number = f"{code} " if _era(attempt) else ""
    return warn(
        attempt=attempt,
        node=node,
        rank=rank,
        at=at,
        place="transport/nvls.cc:254 nvlsAllocateMem" if _era(attempt) == 2 else "enqueue.cc:1526",
        text=f"Cuda failure {number}'{text}'",
    )


def abort(*, attempt: SimulatedAttempt, rank: int) -> list[str]:
    """Return the INFO lines of a communicator that is taken down."""
    gpu = attempt.gpu(rank)
    head = (
        f"comm {communicator(attempt=attempt, rank=rank)} rank {rank} nranks {attempt.world_size} "
        f"cudaDev {gpu} busId {GPU_BUSES[gpu]}000"
    )
    return [
        info(
            attempt=attempt,
            rank=rank,
            text=f"[Service thread] Connection closed by localRank {gpu}",
        ),
        info(attempt=attempt, rank=rank, text=f"{head} - Abort COMPLETE"),
    ]
