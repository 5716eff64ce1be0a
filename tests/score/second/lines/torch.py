"""PyTorch: ProcessGroupNCCL.cpp and TCPStore.cpp."""

from collections.abc import Sequence

from tests.score.second.draft import SessionDraft
from tests.score.second.stamps import torch_glog

# Lines of ProcessGroupNCCL.cpp by release: a work's timeout, the watchdog's word, its end.
PLACES = {
    "2.5.1": (616, 1785, 630, 636, 1561),
    "2.6.0": (629, 1834, 681, 687, 1895),
    "2.7.1": (632, 2264, 684, 690, 2068),
    "2.8.0": (685, 2252, 734, 740, 2059),
}
SOURCE = "ProcessGroupNCCL.cpp"
OPERATIONS = ("ALLREDUCE", "_ALLGATHER_BASE", "_REDUCE_SCATTER_BASE", "BROADCAST", "ALLTOALL_BASE")
LIB = "/usr/local/lib/python3.12/dist-packages/torch/lib/libtorch_cuda.so"


def logged(draft: SessionDraft, at: float, rank: int, level: str, place: str, text: str) -> str:
    """Return a line of c10's log."""
    stamp = torch_glog(draft.own_clock(at, rank), draft.rig.program_zone)
    return f"[rank{rank}]:[{level}{stamp} {place}] {text}"


def group(rank: int) -> str:
    """Return how the default process group calls itself."""
    return f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}]"


def work(draft: SessionDraft, number: int, operation: str, count: int) -> str:
    """Return a collective as it prints itself."""
    return (
        f"WorkNCCL(SeqNum={number}, OpType={operation}, NumelIn={count}, NumelOut={count}, "
        f"Timeout(ms)={draft.rig.timeout * 1000})"
    )


def raised(rank: int, *lines: str) -> list[str]:
    """Return a traceback as torch's hook for uncaught exceptions prefixes it."""
    return [f"[rank{rank}]: {line}" for line in lines]


def timed_out(
    draft: SessionDraft, at: float, rank: int, number: int, operation: str, count: int
) -> list[str]:
    """Return a watchdog that gives a collective up, to the end of the process."""
    first, second, third, fourth, last = PLACES[draft.rig.torch]
    spent = draft.rig.timeout * 1000 + draft.rng.randrange(3, 99)
    text = (
        f"[Rank {rank}] Watchdog caught collective operation timeout: "
        f"{work(draft, number, operation, count)} ran for {spent} milliseconds before timing out."
    )
    ahead, done = number + draft.rng.randrange(4), number - 1
    old = "Exception (either an error or timeout) detected by watchdog at work"
    seen = old if draft.rig.torch < "2.6" else "Work timeout is detected by watchdog at work"
    kept = f"{number}, last enqueued NCCL work: {ahead}, last completed NCCL work: {done}."
    told = [
        (first, text),
        (second, f"{group(rank)} {seen}: {kept}"),
        *_taken_down(rank, (third, fourth)),
    ]
    lines = [logged(draft, at, rank, "E", f"{SOURCE}:{n}", said) for n, said in told]
    ended = f"{group(rank)} Process group watchdog thread terminated with exception: {text}"
    return [
        *lines,
        *terminated(
            draft,
            at,
            rank,
            last,
            ended,
            f"checkTimeout at ../torch/csrc/distributed/c10d/{SOURCE}:{first}",
        ),
    ]


def failed_async(
    draft: SessionDraft, at: float, rank: int, number: int, error: Sequence[str]
) -> list[str]:
    """Return a communicator's own error as the watchdog finds it."""
    first, second, third, fourth, last = PLACES[draft.rig.torch]
    head, *rest = error
    what = work(draft, number, "ALLREDUCE", 1 << (10 + number % 17))
    text = f"[Rank {rank}] Collective {what} raised the following async exception: {head}"
    old = "Exception (either an error or timeout) detected by watchdog at work"
    seen = old if draft.rig.torch < "2.6" else "NCCL error is detected by watchdog at work"
    kept = (
        f"{number}, last enqueued NCCL work: {number + 1}, last completed NCCL work: {number - 1}."
    )
    return [
        logged(draft, at, rank, "E", f"{SOURCE}:{first - 57}", text),
        *rest,
        f"Exception raised from checkForNCCLErrorsInternal at ../torch/csrc/distributed/c10d/{SOURCE}:{second + 330} (most recent call first):",  # noqa: E501
        *_frames(draft),
        logged(draft, at, rank, "E", f"{SOURCE}:{second}", f"{group(rank)} {seen}: {kept}"),
        *(
            logged(draft, at, rank, "E", f"{SOURCE}:{n}", said)
            for n, said in _taken_down(rank, (third, fourth))
        ),
        *terminated(
            draft,
            at,
            rank,
            last,
            f"{group(rank)} Process group watchdog thread terminated with exception: {head}",
            f"checkForNCCLErrorsInternal at ../torch/csrc/distributed/c10d/{SOURCE}:{second + 330}",
        ),
    ]


def _taken_down(rank: int, places: tuple[int, int]) -> list[tuple[int, str]]:
    return [
        (
            places[0],
            (
                f"[Rank {rank}] Some NCCL operations have failed or timed out. Due to the "
                "asynchronous nature of CUDA kernels, subsequent GPU operations might run on "
                "corrupted/incomplete data."
            ),
        ),
        (
            places[1],
            f"[Rank {rank}] To avoid data inconsistency, we are taking the entire process down.",
        ),
    ]


def terminated(
    draft: SessionDraft, at: float, rank: int, place: int, what: str, raised_from: str
) -> list[str]:
    """Return a process that ends by an exception nobody catches."""
    return [
        logged(draft, at, rank, "E", f"{SOURCE}:{place}", what),
        "terminate called after throwing an instance of 'c10::DistBackendError'",
        f"  what():  {what}",
        f"Exception raised from {raised_from} (most recent call first):",
        *_frames(draft),
    ]


def _frames(draft: SessionDraft) -> list[str]:
    names = (
        "c10::Error::Error(c10::SourceLocation, std::string)",
        "c10d::ProcessGroupNCCL::watchdogHandler()",
        "c10d::ProcessGroupNCCL::ncclCommWatchdog()",
    )
    return [
        f"frame #{n}: {name} + 0x{40 + 60 * n:x} (0x7f{draft.hexed(10)} in {LIB})"
        for n, name in enumerate(names)
    ] + [""]


def store_lost(draft: SessionDraft, at: float, rank: int) -> list[str]:
    """Return what a rank says once the store of rank 0 is gone."""
    rig = draft.rig
    mine, host = rig.host_of(rank).address, rig.hosts[0].address
    text = (
        f"recvValue failed on SocketImpl(fd={draft.rng.randrange(60, 99)}, "
        f"addr=[::ffff:{mine}]:{draft.rng.randrange(32768, 60999)}, "
        f"remote=[::ffff:{host}]:29500): failed to recv, got 0 bytes"
    )
    dump = (
        f'{group(rank)} Failed to check the "should dump" flag on TCPStore, (maybe TCPStore '
        "server has shut down too early), with error: failed to recv, got 0 bytes"
    )
    return [
        logged(draft, at, rank, "W", "TCPStore.cpp:125", f"[c10d] {text}"),
        logged(draft, at, rank, "W", f"{SOURCE}:1662", dump),
    ]
