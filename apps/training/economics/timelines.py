"""What is known of the attempts of a session, as spans that uses are painted of."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import pairwise

from apps.training.instants import milliseconds


class TimeUse(StrEnum):
    """What a session did with its time. A later one covers an earlier one where both would be."""

    UNKNOWN = "unknown"
    RECOVERY = "infrastructure-recovery"
    QUEUE = "queue"
    PRODUCTIVE = "productive"
    LOST_PROGRESS = "lost-progress"
    RESTORE = "checkpoint-restore"
    SAVE = "checkpoint-save"
    STRAGGLER = "straggler"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class CheckpointSave:
    """A save. Steps wait for it unless it goes on beside them; what was not completed keeps none.

    It holds what there was when it began.
    """

    starts_at: datetime
    ends_at: datetime
    is_blocking: bool = True
    is_complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class CheckpointLoad:
    """A load of a checkpoint, during which no step is made."""

    starts_at: datetime
    ends_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class SlowTime:
    """A time in which steps took `ratio` times as long as usual."""

    starts_at: datetime
    ends_at: datetime
    ratio: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptTimeline:
    """One attempt. `saves` is None where nobody tells of saves: then nobody knows what was lost.

    `steps_from` and `steps_until` bound the time in which it made steps; None where no step is
    known. `is_finished` says that it ended as it was meant to, with nothing lost.
    """

    name: str
    starts_at: datetime
    ends_at: datetime | None = None
    queued_at: datetime | None = None
    steps_from: datetime | None = None
    steps_until: datetime | None = None
    is_finished: bool = False
    saves: frozenset[CheckpointSave] | None = None
    loads: frozenset[CheckpointLoad] = frozenset()
    slow: frozenset[SlowTime] = frozenset()

    @property
    def kept_until(self) -> datetime | None:
        """Return up to when its steps outlived it; None where that is not known."""
        if self.is_finished or self.ends_at is None:
            return self.steps_until
        if self.saves is None or self.steps_from is None:
            return None
        kept = [save.starts_at for save in self.saves if save.is_complete]
        return max([self.steps_from, *kept])


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class TimeUseSpan:
    """Milliseconds from … to of one use."""

    use: TimeUse
    start: int
    end: int


def time_use_spans(attempts: Sequence[AttemptTimeline], *, until: datetime) -> list[TimeUseSpan]:
    """Return the spans of attempts, ordered by start, up to an instant; they may overlap."""
    ordered = sorted(
        set(attempts), key=lambda each: (each.starts_at, each.name, repr(each.ends_at))
    )
    found = [span for each in ordered for span in _of_attempt(each, until)]
    found += [span for before, after in pairwise(ordered) for span in _between(before, after)]
    return [
        TimeUseSpan(use=use, start=milliseconds(start), end=milliseconds(end))
        for use, start, end in found
        if end > start
    ]


_Found = tuple[TimeUse, datetime, datetime]


def _of_attempt(one: AttemptTimeline, until: datetime) -> Iterator[_Found]:
    ends = one.ends_at or until
    if one.queued_at:
        yield TimeUse.QUEUE, one.queued_at, one.starts_at
    if one.steps_from:
        last = one.steps_until or one.steps_from
        yield TimeUse.RECOVERY, one.starts_at, one.steps_from
        yield TimeUse.PRODUCTIVE, one.steps_from, last
        yield from _after_steps(one, last, ends)
    for load in one.loads:
        yield TimeUse.RESTORE, load.starts_at, load.ends_at
    blocking = (save for save in one.saves or () if save.is_blocking)
    for save in blocking:
        yield TimeUse.SAVE, save.starts_at, save.ends_at


def _after_steps(one: AttemptTimeline, last: datetime, ends: datetime) -> Iterator[_Found]:
    """Yield what was lost of the steps, and the time in which nobody had noticed yet."""
    if one.ends_at is None or one.is_finished:
        return
    yield TimeUse.RECOVERY, last, ends
    if one.kept_until:
        yield TimeUse.LOST_PROGRESS, one.kept_until, last


def _between(before: AttemptTimeline, after: AttemptTimeline) -> Iterator[_Found]:
    if before.ends_at and not before.is_finished:
        yield TimeUse.RECOVERY, before.ends_at, after.starts_at


def slow_times(attempts: Iterable[AttemptTimeline]) -> list[SlowTime]:
    """Return the slow times of attempts, the slowest last: it holds where they overlap."""
    found = {slow for each in attempts for slow in each.slow if slow.ratio > 1}
    return sorted(found, key=lambda slow: (slow.ratio, slow.starts_at, slow.ends_at))
