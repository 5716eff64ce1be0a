"""What a job lost and went on without, by its logs alone: the survivors say that they agree anew,
and make steps or save what they made below that.

Such lines often carry no time: they came between the steps that stand around them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from apps.diagnosis.input_values import rank_number, whole_number
from apps.diagnosis.model import (
    Event,
    LivedLoss,
    LogLine,
    Mark,
    PointKind,
    ProgressPoint,
    Reading,
)
from apps.diagnosis.reasoning.timing import phases
from apps.diagnosis.reasoning.timing.open_end import UNCAUGHT
from apps.diagnosis.signatures.marks import marked

QUORUMS: Final = marked(Mark.QUORUM)
LIVED_WITH: Final = marked(Mark.SURVIVABLE)
# What a group does that is there again: steps, and what is saved of them.
WORKS: Final = phases.STEPS | marked(Mark.SAVE_ENDS)
OWN_FAILURES: Final = marked(Mark.OWN_FAILURE, Mark.GPU_CALL)
INTERRUPTED: Final = marked(Mark.RANK_INTERRUPTED)
# A rank that met one of these comes back by itself no more.
GONE: Final = frozenset({"HARD_TIMEOUT", "TERMINATED", "UNRESPONSIVE"})
Instant = Callable[[LogLine], datetime | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LossInLogs:
    """The last loss that a job lived through, and where the story after it begins in each log."""

    loss: LivedLoss
    until: datetime | None  # the first step after it; None: no step prints a time
    last_lines: dict[str, int]  # of each log that went on: its word of that


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    """One log's word that it goes on, with the steps around it."""

    event: Event
    after: datetime | None
    before: datetime | None


def loss_in_logs(*, readings: Sequence[Reading], instant: Instant) -> LossInLogs | None:
    """Return the newest loss after which steps were made, None where there is none."""
    words = [one for reading in readings for one in _words(reading, instant)]
    newest = max((_generation(one.event) for one in words), default=0)
    told = [one for one in words if _generation(one.event) == newest]
    if not told:
        return None
    first = min(told, key=lambda one: (one.after is None, one.after, one.event.order_key))
    starts = [one.after for one in told if one.after]
    ends = [one.before for one in told if one.before]
    return LossInLogs(
        loss=LivedLoss(
            event=first.event,
            at=max(starts, default=None),
            ranks=_lost_ranks(readings, told),
            survivors=len({r for one in told if (r := one.event.fields.get("replica"))}) or None,
        ),
        until=min(ends, default=None),
        last_lines={one.event.order_key[0]: one.event.line.number for one in told},
    )


def _lost_ranks(readings: Sequence[Reading], told: Sequence[_Word]) -> tuple[int, ...]:
    """Return who is named as gone, else who ended with an exception that nobody caught."""
    gone = {rank for one in told if (rank := _gone(one.event)) is not None}
    goes_on = {one.event.line.origin.source for one in told}
    ended = {
        event.line.rank
        for reading in readings
        if reading.origin.source not in goes_on
        for event in reading.events
        if event.line.dialect == UNCAUGHT and event.signature in OWN_FAILURES
    }
    return tuple(sorted(rank for rank in gone or ended if rank is not None))


def _words(reading: Reading, instant: Instant) -> Iterator[_Word]:
    """Yield where a log says that it goes on without somebody, and does so."""
    steps = [one for one in reading.points if one.kind is PointKind.STEP]
    last = max(
        [
            *(one.number for one in steps),
            *(one.line.number for one in reading.progress if one.signature in WORKS),
        ],
        default=0,
    )
    for event in [*_agreed_anew(reading), *(e for e in reading.events if _gone(e) is not None)]:
        number = event.line.number
        if number < last:
            yield _Word(
                event=event,
                after=_around(event, [one for one in steps if one.number < number][-1:], instant),
                before=_around(event, [one for one in steps if one.number > number][:1], instant),
            )


def _agreed_anew(reading: Reading) -> list[Event]:
    """Return the first line of a new group below the last error that a replica lived with."""
    told = [one for one in reading.events if one.fields.get("replica")]
    met = max((one.line.number for one in told if one.signature in LIVED_WITH), default=None)
    if met is None:
        return []
    below = [one for one in told if one.signature in QUORUMS and one.line.number > met]
    return sorted(below, key=lambda one: one.line.number)[:1]


def _around(event: Event, points: Sequence[ProgressPoint], instant: Instant) -> datetime | None:
    """Return when a line was printed; of one without a time, when the step beside it was made."""
    if (own := instant(event.line)) is not None:
        return own
    for one in points:
        at = one.at.astimezone(UTC) if one.at else None
        local = at.replace(tzinfo=None) if at and one.is_local else None
        return instant(replace(event.line, at=None if one.is_local else at, local_at=local))
    return None


def _generation(event: Event) -> int:
    """Return how often the survivors had agreed anew; 0 where lines don't count it."""
    return whole_number(event.fields.get("quorum")) or 0


def _gone(event: Event) -> int | None:
    """Return the rank that a line says is gone."""
    if event.signature not in INTERRUPTED or event.fields.get("what") not in GONE:
        return None
    return rank_number(event.fields.get("rank"))
