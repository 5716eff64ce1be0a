"""Starts that get nowhere: told by the fourth, never where a checkpoint advanced."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from apps.training.retries.attempt_runs import AttemptRun
from apps.training.retries.chains import Retry, retries_of

# So many retries without progress are enough: they and what stopped first are four attempts.
MOST_RETRIES = 3
AGAIN = 2
NO_CAUSE = frozenset({"unknown", "benign"})


class AdviceKind(StrEnum):
    """What the past of a lineage speaks for."""

    STOP_RETRYING = "stop-retrying"
    LEAVE_OUT_HOST = "leave-out-host"
    MEND_CAUSE = "mend-cause"


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashLoop:
    """Retries one after the other that ended without any progress."""

    attempt: AttemptRun  # whose end makes it one
    attempt_number: int  # in its lineage, from 1
    retries: int
    gpu_hours: float  # burnt by them


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainAdvice:
    """One piece of advice with what it rests on."""

    kind: AdviceKind
    times: int
    cause: str | None = None
    host: str | None = None


def crash_loop(line: Sequence[AttemptRun], *, now: datetime) -> CrashLoop | None:
    """Return the loop that the end of a lineage is in, as it stood when it first became one.

    A retry of which neither steps nor saves are known is no sign of no progress: it is passed over.
    """
    idle: list[tuple[int, Retry]] = []
    for number, retry in enumerate(retries_of(line, now=now), 2):
        if retry.kept_progress or retry.got_past:
            idle = []
        elif retry.kept_progress is False and retry.run.ends_at:
            idle.append((number, retry))
    if len(idle) < MOST_RETRIES:
        return None
    number, first = idle[MOST_RETRIES - 1]
    return CrashLoop(
        attempt=first.run,
        attempt_number=number,
        retries=len(idle),
        gpu_hours=sum(retry.gpu_hours for _, retry in idle),
    )


def chain_advice(line: Sequence[AttemptRun], *, now: datetime) -> list[ChainAdvice]:
    """Return what speaks against another start as it was: the same host or cause again, a loop.

    A cause that nobody knows is not the same one again, and one that a retry got past speaks
    against nothing: starting again did help.
    """
    ended = [run for run in line if run.is_stopped]
    last = _last_past(line, now=now)
    since = [run for run in ended if last is None or run.starts_at >= last.starts_at]
    causes = Counter(run.cause for run in since if run.cause and run.cause not in NO_CAUSE)
    hosts = Counter(host for run in ended for host in run.blamed_hosts)
    loop = crash_loop(line, now=now)
    advice = [
        ChainAdvice(kind=AdviceKind.LEAVE_OUT_HOST, times=times, host=host)
        for host, times in sorted(hosts.items())
        if times >= AGAIN
    ]
    advice += [
        ChainAdvice(kind=AdviceKind.MEND_CAUSE, times=times, cause=cause)
        for cause, times in sorted(causes.items())
        if times >= AGAIN
    ]
    if loop:
        advice.append(ChainAdvice(kind=AdviceKind.STOP_RETRYING, times=loop.retries))
    return advice


def _last_past(line: Sequence[AttemptRun], *, now: datetime) -> AttemptRun | None:
    """Return the last retry that got past a stop."""
    past = [retry.run for retry in retries_of(line, now=now) if retry.got_past]
    return past[-1] if past else None
