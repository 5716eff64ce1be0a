"""Recoveries of a session: from one attempt to the next, and inside an attempt that went on.

Marks come from what is there: begins and ends that schedulers report, when an incident broke out,
what logs tell of loads and steps, and lines of launchers (`RecoveryMark`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from apps.training.retries.recoveries import Recovery, recoveries
from apps.training.retries.recovery_marks import FAILURES, MarkKind, RecoveryMark

# What a launcher tells of a failure so long before the end is of another one.
OF_THE_END: Final = timedelta(minutes=30)
# In these a launcher says that workers failed or went; the rest is of starting again.
OF_STOPS: Final = FAILURES | {MarkKind.WORKER_TERMINATED}


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptTrace:
    """What is known of when an attempt began, worked and ended. Nobody told: None, empty."""

    number: int
    starts_at: datetime | None
    ends_at: datetime | None = None
    failed_at: datetime | None = None  # when its incident broke out
    is_meant: bool = False  # it ended as it should: what follows is no recovery
    first_steps: tuple[datetime, ...] = ()  # of each stretch of steps, in order
    loads: tuple[tuple[datetime | None, datetime | None], ...] = ()  # of checkpoints
    marks: tuple[RecoveryMark, ...] = ()  # of launchers' lines


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRecovery:
    """A recovery with the attempt that stopped and the one that went on; both may be the same."""

    stopped: int
    following: int
    recovery: Recovery

    @property
    def is_in_place(self) -> bool:
        """Say whether the attempt went on without being started anew."""
        return self.stopped == self.following


def attempt_recoveries(traces: Iterable[AttemptTrace]) -> list[AttemptRecovery]:
    """Return the recoveries of a session by their begins, whatever order traces come in."""
    ordered = sorted(traces, key=lambda each: each.number)
    found = [each for trace in ordered for each in _in_place(trace)]
    for stopped, following in pairwise(ordered):
        if stopped.is_meant or stopped.ends_at is None or following.starts_at is None:
            continue
        marks = {*_marks_of_stop(stopped), *_marks_of_start(following)}
        one = [replace(mark, cycle=following.number) for mark in marks]
        found += [
            AttemptRecovery(stopped=stopped.number, following=following.number, recovery=each)
            for each in recoveries(one)
        ]
    return sorted(found, key=lambda each: (each.recovery.starts_at, each.following))


def _marks_of_stop(trace: AttemptTrace) -> Iterator[RecoveryMark]:
    if trace.ends_at is None:
        return
    yield RecoveryMark(kind=MarkKind.WORKER_TERMINATED, at=trace.ends_at)
    if trace.failed_at is not None and trace.failed_at <= trace.ends_at:
        yield RecoveryMark(kind=MarkKind.FAILED, at=trace.failed_at)
    last = max(trace.first_steps, default=trace.starts_at or trace.ends_at)
    since = max(last, trace.ends_at - OF_THE_END)
    for mark in trace.marks:
        if mark.kind in OF_STOPS and since <= mark.at <= trace.ends_at:
            yield mark


def _marks_of_start(trace: AttemptTrace) -> Iterator[RecoveryMark]:
    """Yield what happened up to the first step; without one all that is told of starting."""
    if trace.starts_at is None:
        return
    yield RecoveryMark(kind=MarkKind.ATTEMPT_STARTED, at=trace.starts_at)
    first = min(trace.first_steps, default=None)
    if first is not None:
        yield RecoveryMark(kind=MarkKind.FIRST_STEP, at=first)
    for mark in trace.marks:
        if mark.kind not in OF_STOPS and (first is None or mark.at <= first):
            yield mark
    yield from _loads(trace, until=first)


def _loads(
    trace: AttemptTrace, *, since: datetime | None = None, until: datetime | None = None
) -> Iterator[RecoveryMark]:
    for begin, end in trace.loads:
        for kind, at in ((MarkKind.LOAD_STARTED, begin), (MarkKind.LOAD_COMPLETED, end)):
            is_late_enough = since is None or (at is not None and at >= since)
            if at is not None and is_late_enough and (until is None or at <= until):
                yield RecoveryMark(kind=kind, at=at)


def _in_place(trace: AttemptTrace) -> Iterator[AttemptRecovery]:
    """Yield the recoveries of an attempt that made steps again after its workers were restarted."""
    if len(trace.first_steps) < 2:
        return
    for before, after in pairwise(trace.first_steps):
        own = [mark for mark in trace.marks if before < mark.at <= after]
        if not any(mark.kind in OF_STOPS for mark in own):
            continue  # the count of steps went back, but nothing was restarted
        since = min(mark.at for mark in own if mark.kind in OF_STOPS)
        told = [mark for mark in own if mark.at >= since]
        told += _loads(trace, since=since, until=after)
        told.append(RecoveryMark(kind=MarkKind.FIRST_STEP, at=after))
        # Launchers count cycles; between two stretches of steps there is one recovery.
        for each in recoveries([replace(mark, cycle=1) for mark in told]):
            yield AttemptRecovery(
                stopped=trace.number, following=trace.number, recovery=replace(each, cycle=None)
            )
