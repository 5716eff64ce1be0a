"""NCCL: src/debug.cc for the head of a line, src/transport, src/misc and src/init.cc for the rest."""  # noqa: E501

from tests.score.second.draft import SessionDraft
from tests.score.second.stamps import plain

# Where older releases say a message stands: file and line. Newer ones say the same of theirs.
PLACES = {
    "ib": ("transport/net_ib.cc:1295", "transport/net_ib/p2p.cc:688"),
    "async": ("transport/net_ib.cc:139", "transport/net_ib/common.cc:179"),
    "socket": ("misc/socket.cc:58", "misc/socket.cc:58"),
    "cuda": ("proxy.cc:1745", "proxy.cc:1721"),
    "shm": ("misc/shmutils.cc:81", "os/linux.cc:795"),
    "bootstrap": ("bootstrap.cc:103", "bootstrap.cc:126"),
    "connect": ("misc/socket.cc:517", "os/linux.cc:288"),
    "version": ("init.cc:712", "init.cc:1043"),
}
# ibvWcStatusStr and numbers of verbs.h; the opcode is of the sender's work request.
RETRY_EXCEEDED, FLUSHED, RNR = 12, 5, 13


def _is_new(draft: SessionDraft) -> bool:
    return draft.rig.nccl >= "2.27"


def head(draft: SessionDraft, at: float, rank: int, thread: int = 0) -> str:
    """Return host, process, thread and device as every line begins."""
    host, pid = draft.rig.host_of(rank), draft.rig.pid_of(rank)
    return f"{host.name}:{pid}:{pid + 300 + thread} [{rank % draft.rig.per_host}]"


def warning(draft: SessionDraft, at: float, rank: int, where: str, text: str) -> list[str]:
    """Return a warning, after an empty line or with a time as the release has it."""
    place = PLACES[where][_is_new(draft)]
    line = f"{head(draft, at, rank)} {place} NCCL WARN {text}"
    if _is_new(draft):
        stamp = plain(draft.own_clock(at, rank), draft.rig.program_zone)
        return [f"[{stamp}] {line}"]
    return ["", line]


def info(draft: SessionDraft, at: float, rank: int, text: str) -> str:
    """Return a line of NCCL_DEBUG=INFO."""
    return f"{head(draft, at, rank)} NCCL INFO {text}"


def began(draft: SessionDraft, at: float, rank: int) -> list[str]:
    """Return what a communicator says of itself as it is made."""
    rig, rng = draft.rig, draft.rng
    host = rig.host_of(rank)
    card = "IB" if rig.fabric == "ib" else "RoCE"
    cards = " ".join(f"[{n}]mlx5_{n}:1/{card}" for n in range(rig.per_host))
    comm = f"0x{0x55D0_0000_0000 + rng.getrandbits(28):x}"
    bus = rig.gpu_buses[rank % rig.per_host]
    told = [
        f"Bootstrap: Using eth0:{host.address}<0>",
        f"NET/IB : Using {cards} [RO]; OOB eth0:{host.address}<0>",
        "Using network IB",
        (
            f"ncclCommInitRankConfig comm {comm} rank {rank} nranks {rig.size} cudaDev "
            f"{rank % rig.per_host} nvmlDev {rank % rig.per_host} busId {bus}000 commId "
            f"0x{rig.job * 0x9E3779B97F4A7C15 % 2**64:x} - Init COMPLETE"
        ),
    ]
    return [info(draft, at, rank, text) for text in told]


def completion(draft: SessionDraft, at: float, rank: int, peer: int, status: int) -> list[str]:
    """Return what is said of a work request that came back with an error."""
    rig, rng = draft.rig, draft.rng
    sock = f"{rig.host_of(peer).address}<{rng.randrange(32768, 60999)}>"
    vendor = {RETRY_EXCEEDED: 129, FLUSHED: 249, RNR: 135}[status]
    gids = ""
    if rig.fabric == "roce":
        gids = (
            f" localGid ::ffff:{rig.host_of(rank).address}"
            f" remoteGids::ffff:{rig.host_of(peer).address}"
        )
    hca = rig.hca_of(rank)
    if not _is_new(draft):
        text = (
            f"NET/IB: Got completion from peer {sock} with status={status} opcode=0 len=0 "
            f"vendor err {vendor} (Send){gids} hca {hca}"
        )
        return warning(draft, at, rank, "ib", text)
    name = {
        RETRY_EXCEEDED: "IBV_WC_RETRY_EXC_ERR",
        FLUSHED: "IBV_WC_WR_FLUSH_ERR",
        RNR: "IBV_WC_RNR_RETRY_EXC_ERR",
    }[status]
    text = (
        f"NET/IB: Got completion from peer {sock} with status={name}({status}) "
        f"opcode=IBV_WC_SEND(0) vendor_err={vendor} {gids} hca {hca}"
    )
    return warning(draft, at, rank, "ib", text)


def port_event(draft: SessionDraft, at: float, rank: int, event: str, number: int) -> list[str]:
    """Return an asynchronous event of the adapter: ibv_event_type_str and its number."""
    text = f"NET/IB : {draft.rig.hca_of(rank)}:1 Got non-fatal async event: {event}({number})"
    if not _is_new(draft):
        text = f"NET/IB : {draft.rig.hca_of(rank)}:1 Got async event : {event}"
    return warning(draft, at, rank, "async", text)


def closed(draft: SessionDraft, at: float, rank: int, peer: int) -> list[str]:
    """Return that a peer's socket was closed."""
    host = draft.rig.host_of(peer)
    where = f"{host.name}{host.domain}<{draft.rng.randrange(32768, 60999)}>"
    text = f"socketProgress: Connection closed by remote peer {where}"
    return warning(draft, at, rank, "socket", text)


def last_error(kind: str, cause: str, nccl: str) -> list[str]:
    """Return ncclGetErrorString with what torch adds of its own and of ncclGetLastError."""
    texts = {
        "remote": (
            "remote process exited or there was a network error",
            (
                "ncclRemoteError: A call failed possibly due to a network error or a remote process "  # noqa: E501
                "exiting prematurely."
            ),
        ),
        "system": (
            "unhandled system error (run with NCCL_DEBUG=INFO for details)",
            (
                "ncclSystemError: System call (e.g. socket, malloc) or external library call failed "  # noqa: E501
                "or device error. "
            ),
        ),
        "cuda": (
            "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
            "ncclUnhandledCudaError: Call to CUDA function failed.",
        ),
        "usage": (
            "invalid usage (run with NCCL_DEBUG=WARN for details)",
            "ncclInvalidUsage: This usually reflects invalid usage of NCCL library.",
        ),
    }
    short, long_ = texts[kind]
    return [f"NCCL error: {short}, NCCL version {nccl}", long_, "Last error:", cause]
