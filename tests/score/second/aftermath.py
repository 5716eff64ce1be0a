"""What a fault does to the rest of a session: peers that wait or lose a peer, and the launcher."""

from collections.abc import Iterable, Sequence

from tests.score.second.draft import SessionDraft
from tests.score.second.launchers import over, stopped_by_launcher
from tests.score.second.lines import nccl, others, torch
from tests.score.second.lines import slurm as srun
from tests.score.second.lines.torch import OPERATIONS

ABORTED = -6


def sequence(draft: SessionDraft) -> int:
    """Return a collective's number that fits the time the session ran."""
    steps = (draft.stops - draft.rig.began) / draft.rig.step_seconds
    return int(steps * 37) + draft.rng.randrange(40, 400)


def crash(
    draft: SessionDraft,
    at: float,
    rank: int,
    lines: Sequence[str],
    code: int,
    *,
    peers: bool = True,
) -> None:
    """Let a rank end: what it prints, what others see of it, what the launcher makes of it."""
    draft.say(at, rank, *lines)
    gone = at + draft.soon(0.2, 3)
    draft.silent_after.setdefault(-1 - rank, gone)
    if peers and draft.rig.is_torch:
        _lose(draft, gone, rank)
    ended = gone + draft.soon(0.5, 4)
    if draft.rig.framework == "jax":  # srun ends no step before its others have ended themselves
        ended += _jax_others(draft, gone, rank) - gone
    over(draft, ended, rank, code)


def _lose(draft: SessionDraft, at: float, rank: int) -> None:
    """Let a few peers on other hosts notice a process that is gone, before they are stopped."""
    away = draft.others(draft.rig.host_of(rank).place)
    number = sequence(draft)
    for peer in draft.rng.sample(away, min(len(away), draft.rng.randrange(0, 4))):
        seen = at + draft.soon(0.1, 1.5)
        warned = nccl.closed(draft, seen, peer, rank)
        cause = warned[-1].split("NCCL WARN ")[1]
        error = nccl.last_error("remote", cause, draft.rig.nccl)
        draft.say(seen, peer, *warned)
        draft.say(seen + 0.3, peer, *torch.failed_async(draft, seen + 0.3, peer, number, error))
    if draft.rig.host_of(rank).place == 0:
        for peer in draft.rng.sample(away, min(len(away), 3)):
            seen = at + draft.soon(1, 4)
            draft.say(seen, peer, *torch.store_lost(draft, seen, peer))


def _jax_others(draft: SessionDraft, at: float, rank: int) -> float:
    heard = at + draft.soon(10, 100)
    for peer in range(draft.rig.size):
        if peer != rank:
            seen = heard + draft.soon(0, 1)
            draft.say(seen, peer, *others.jax_task_lost(draft, seen, peer, rank))
    return heard + 1


def hang(
    draft: SessionDraft,
    at: float,
    blamed: Iterable[int],
    *,
    operation: str = "",
    behind: bool = False,
) -> None:
    """Let all but the blamed ranks wait in a collective until they give it up.

    `behind`: the blamed ranks wait too, in an earlier or another collective.
    """
    rig, absent = draft.rig, set(blamed)
    if rig.framework == "jax":
        _jax_waits(draft, at, absent)
        return
    if rig.framework == "horovod":
        _horovod_waits(draft, at, absent)
        return
    number, kind = sequence(draft), operation or draft.rng.choice(OPERATIONS)
    count = draft.rng.choice((1, 8192, 1 << 22, 272_498_688, 466_119_168))
    given_up = at + rig.timeout
    first, when = -1, float("inf")
    for rank in range(rig.size):
        if rank in absent and not behind:
            continue
        seen = given_up + draft.soon(0, 1.2)
        mine = number - 1 if rank in absent else number
        draft.say(seen, rank, *torch.timed_out(draft, seen, rank, mine, kind, count))
        if seen < when:
            first, when = rank, seen
    over(draft, given_up + draft.soon(2, 9), max(first, 0), ABORTED)


def _jax_waits(draft: SessionDraft, at: float, absent: set[int]) -> None:
    for rank in range(draft.rig.size):
        if rank not in absent:
            seen = at + 40 + draft.soon(0, 2)
            draft.say(seen, rank, *others.jax_stuck(draft, seen, rank))
    lost = min(absent, default=0)
    _jax_others(draft, at + 60, lost)
    over(draft, at + draft.soon(170, 200), max(set(range(draft.rig.size)) - absent), ABORTED)


def _horovod_waits(draft: SessionDraft, at: float, absent: set[int]) -> None:
    told = sorted(absent) or [draft.rig.size - 1]
    seen = at
    for turn in range(1, draft.rng.randrange(3, 8)):
        seen = at + 60 * turn
        draft.say(
            seen,
            0 if 0 not in absent else max(set(range(draft.rig.size)) - absent),
            *others.horovod_stalled(draft, seen, told),
        )
    text = (
        "horovod.common.exceptions.HorovodInternalError: Horovod has been shut down. This was "
        "caused by an exception on one of the ranks or an attempt to allreduce, allgather or "
        "broadcast a tensor after one of the ranks finished execution."
    )
    for rank in range(draft.rig.size):
        if rank not in absent:
            draft.say(
                seen + 30 + draft.soon(0, 1),
                rank,
                "Traceback (most recent call last):",
                '  File "/work/train.py", line 188, in <module>',
                text,
            )
    over(draft, seen + 33, max(set(range(draft.rig.size)) - absent), 1)


def lose_network(
    draft: SessionDraft, at: float, rank: int, *, status: int = nccl.RETRY_EXCEEDED
) -> None:
    """Let transfers to and from a rank's adapter fail on both sides, then all end."""
    rig = draft.rig
    away = draft.others(rig.host_of(rank).place)
    peers = draft.rng.sample(away, min(len(away), draft.rng.randrange(1, 4)))
    number = sequence(draft)
    first = at + draft.soon(18, 40)  # NCCL_IB_TIMEOUT and its retries
    for one, other in [*((peer, rank) for peer in peers), (rank, peers[0])]:
        seen = first + draft.soon(0, 2)
        warned = nccl.completion(draft, seen, one, other, status)
        draft.say(seen, one, *warned)
        error = nccl.last_error("remote", warned[-1].split("NCCL WARN ")[1], rig.nccl)
        if rig.is_torch:
            draft.say(seen + 0.2, one, *torch.failed_async(draft, seen + 0.2, one, number, error))
        else:
            draft.say(seen + 0.2, one, *_plain_failure(draft, error))
    over(draft, first + draft.soon(3, 8), peers[0], ABORTED if rig.is_torch else 1)


def _plain_failure(draft: SessionDraft, error: Sequence[str]) -> list[str]:
    if draft.rig.framework == "jax":
        return [
            (
                "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: NCCL operation ncclGroupEnd() failed: "  # noqa: E501
                "remote process exited or there was a network error. Last NCCL warning(error) log "
                f"entry (may be unrelated) '{error[-1]}'."
            ),
        ]
    return [f"horovod.common.exceptions.HorovodInternalError: {error[0]}"]


def lose_host(draft: SessionDraft, at: float, place: int) -> None:
    """Let a host go without a word: its ranks fall silent, and others find out."""
    rig = draft.rig
    draft.silent_after[place] = at
    ranks = rig.ranks_on(place)
    if rig.launcher == "mpirun":
        gone = at + draft.soon(60, 200)
        draft.launch(gone, -1, *others.mpi_host_lost(draft, place))
        draft.ends = gone + 3
        return
    if rig.framework == "jax":
        _jax_others(draft, at, ranks[0])
        over(draft, at + draft.soon(120, 140), draft.others(place)[0], ABORTED)
        return
    if rig.is_under_slurm and draft.rng.random() < 0.6:
        seen = at + draft.soon(200, 320)  # SlurmdTimeout
        draft.launch(seen, -1, srun.node_failed(rig.hosts[place].name))
        stopped_by_launcher(draft, seen, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
        return
    hang(draft, at, ranks)
