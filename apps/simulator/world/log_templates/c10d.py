"""PyTorch's process group: watchdog, flight recorder and the exceptions it raises."""

from apps.simulator.world.machines.cluster import SimulatedNode
from apps.simulator.world.story import SimulatedAttempt

_NANOSECONDS = 1_000_000_000


def stamp(*, attempt: SimulatedAttempt, node: SimulatedNode, at: float, level: str) -> str:
    """Return level, month without padding, day and time, as c10's own logger prints them."""
    local = node.local(at, attempt.zone(node))
    nanos = int((at % 1) * _NANOSECONDS)
    return f"{level}{local.month}{local:%d %H:%M:%S}.{nanos:09d}"


def say(  # noqa: PLR0913  the fields of one log line
    *,
    attempt: SimulatedAttempt,
    node: SimulatedNode,
    rank: int,
    at: float,
    source: str,
    text: str,
    level: str = "E",
) -> str:
    """Return a line of the C++ logger; before 2.3 it had neither a time nor the rank in front."""
    if attempt.style.torch < (2, 3):
        return f"[{level} {source}] {text}"
    return f"[rank{rank}]:[{stamp(attempt=attempt, node=node, at=at, level=level)} {source}] {text}"


def group(*, attempt: SimulatedAttempt, rank: int) -> str:
    """Return how a process group names itself in brackets."""
    if attempt.style.torch < (2, 3):
        return f"[Rank {rank}]"
    if attempt.style.torch < (2, 5):
        return f"[PG 0 (default_pg) Rank {rank}]"
    return f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}]"


def work(*, seq: int, op: str, numel: int, timeout_ms: int, out: int | None = None) -> str:
    """Return a collective as the watchdog describes it."""
    produced = numel if out is None else out
    return (
        f"WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn={numel}, NumelOut={produced}, "
        f"Timeout(ms)={timeout_ms})"
    )


def watchdog_timeout(
    *,
    attempt: SimulatedAttempt,
    node: SimulatedNode,
    rank: int,
    at: float,
    described: str,
    ran_ms: int,
) -> str:
    """Return the line of a rank that waited in vain."""
    return say(
        attempt=attempt,
        node=node,
        rank=rank,
        at=at,
        source="ProcessGroupNCCL.cpp:" + ("475" if attempt.style.torch < (2, 3) else "632"),
        text=(
            f"[Rank {rank}] Watchdog caught collective operation timeout: {described} "
            f"ran for {ran_ms} milliseconds before timing out."
        ),
    )


def failure_status(
    *, attempt: SimulatedAttempt, node: SimulatedNode, rank: int, at: float, seq: int
) -> str:
    """Return how far the group had come; the wording changed twice."""
    head = group(attempt=attempt, rank=rank)
    if attempt.style.torch < (2, 5):
        text = (
            f"{head} Timeout at NCCL work: {seq}, last enqueued NCCL work: {seq + 2}, "
            f"last completed NCCL work: {seq - 1}."
        )
    elif attempt.style.torch < (2, 6):
        text = (
            f"{head} Exception (either an error or timeout) detected by watchdog at work: {seq}, "
            f"last enqueued NCCL work: {seq + 2}, last completed NCCL work: {seq - 1}."
        )
    else:
        text = (
            f"{head}  failure detected by watchdog at work sequence id: {seq} PG status: "
            f"last enqueued work: {seq + 2}, last completed work: {seq - 1}"
        )
    return say(
        attempt=attempt, node=node, rank=rank, at=at, source="ProcessGroupNCCL.cpp:2276", text=text
    )


def taking_down(
    *, attempt: SimulatedAttempt, node: SimulatedNode, rank: int, at: float
) -> list[str]:
    """Return the two lines before the watchdog ends the process."""
    texts = (
        (
            "Some NCCL operations have failed or timed out. Due to the asynchronous nature of "
            "CUDA kernels, "
            "subsequent GPU operations might run on corrupted/incomplete data."
        ),
        "To avoid data inconsistency, we are taking the entire process down.",
    )
    return [
        say(
            attempt=attempt,
            node=node,
            rank=rank,
            at=at + 0.0002 * i,
            source=f"ProcessGroupNCCL.cpp:{684 + 14 * i}",
            text=f"[Rank {rank}] {text}",
        )
        for i, text in enumerate(texts)
    ]


def watchdog_error(
    *, attempt: SimulatedAttempt, node: SimulatedNode, rank: int, at: float, error: str
) -> str:
    """Return the last words of the watchdog thread when the error came from below."""
    who = "Process group" if attempt.style.torch >= (2, 4) else "NCCL"
    return say(
        attempt=attempt,
        node=node,
        rank=rank,
        at=at,
        source="ProcessGroupNCCL.cpp:1896",
        text=(
            f"{group(attempt=attempt, rank=rank)} {who} watchdog thread terminated with "
            f"exception: {error}"
        ),
    )


def remote_error(*, attempt: SimulatedAttempt, last_error: str) -> str:
    """Return the exception text for a peer that went away, with what NCCL said last."""
    version = ".".join(str(part) for part in attempt.style.nccl)
    return (
        "NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.hpp:181, remote "
        "process exited or "
        f"there was a network error, NCCL version {version}\n"
        "ncclRemoteError: A call failed possibly due to a network error or a remote "
        "process exiting "
        f"prematurely.\nLast error:\n{last_error}"
    )


def traceback(*, rank: int | None, frames: tuple[str, ...], final: str) -> str:
    """Return a Python traceback, each line marked with the rank where the version does so."""
    head = "" if rank is None else f"[rank{rank}]: "
    lines = [
        "Traceback (most recent call last):",
        *(f"{'  ' if frame.startswith('File') else '    '}{frame}" for frame in frames),
    ]
    lines += final.split("\n")
    return "\n".join(head + line for line in lines)
