"""Exceptions of sessions that may go on: a warning where the session is read, until something says
that it stopped, or it falls silent.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.diagnosis.model import Diagnosis, EndState, Event, Extent, Reading, Stream, VerdictStatus
from apps.diagnosis.reasoning.timing.open_end import WENT_ON_AFTER, WENT_ON_LINES
from apps.diagnosis.reasoning.timing.stop_told import may_be_survived
from apps.fleet.models import Attempt
from apps.incidents.correlation.attempts.attempt_facts import Gathered

# A program that caught an exception prints its next line sooner than this, or than so many times
# its usual pause; one that the scheduler calls running is given longer.
SILENT_AFTER, LONGEST = timedelta(seconds=90), timedelta(minutes=30)
SILENT_WHILE_RUNNING = timedelta(minutes=10)
PAUSES = 5
# Clocks that are kept in time are.
AHEAD = timedelta(minutes=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """That a stop is only presumed: since when, and when silence would tell of it."""

    since: datetime
    until: datetime | None  # None: it went on, silence tells nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class _Raised:
    """Where the last exception of a log stands, and the last time that was told before it."""

    number: int
    at: datetime | None


def doubt_of(
    *, diagnosis: Diagnosis, gathered: Gathered, attempt: Attempt, now: datetime
) -> Doubt | None:
    """Return why a stop is no incident yet, None where it is told or the log fell silent."""
    if diagnosis.is_stop_told or diagnosis.verdict.status is VerdictStatus.NO_FAILURE:
        return None
    since = attempt.doubted_at or now
    if _went_on(gathered.readings, since):
        return Doubt(since=since, until=None)
    received = gathered.newest_received_at or now
    # What is stamped ahead of its receipt, by a wrong clock or on purpose, was said when it came.
    heard = [
        extent.last_at if extent.last_at <= received + AHEAD else received
        for extent in _extents(gathered.readings)
        if extent.last_at
    ]
    last = max(heard, default=gathered.newest_received_at)
    silent_at = min(last, now) + _patience(attempt, gathered.readings) if last else now
    return Doubt(since=since, until=silent_at) if now < silent_at else None


def note(*, attempt: Attempt, doubt: Doubt | None) -> None:
    """Say of an attempt that an exception of it may have been caught, or say so no more."""
    since = doubt.since if doubt else None
    if attempt.doubted_at != since:
        Attempt.objects.filter(pk=attempt.pk).update(doubted_at=since)
        attempt.doubted_at = since


def _patience(attempt: Attempt, readings: Sequence[Reading]) -> timedelta:
    """Return how long a pause is no silence, by how often the session speaks."""
    least = SILENT_WHILE_RUNNING if attempt.state == EndState.RUNNING else SILENT_AFTER
    pauses = [
        (extent.last_at - extent.first_at) / extent.line_count
        for extent in _extents(readings)
        if extent.first_at and extent.last_at and extent.line_count > 1
    ]
    return min(max(least, PAUSES * min(pauses, default=timedelta(0))), LONGEST)


def _went_on(readings: Sequence[Reading], since: datetime) -> bool:
    """Say whether steps were made below the last exception, later than others' last words."""
    last: dict[str, _Raised] = {}
    events = sorted(
        (event for reading in readings for event in reading.events), key=lambda one: one.order_key
    )
    latest: dict[str, datetime] = {}
    for event in events:
        source, number = event.order_key
        if event.line.at is not None:
            latest[source] = event.line.at
        if may_be_survived(event=event):
            # The lines of a traceback have no time: that of what was said before it.
            last[source] = _Raised(number=number, at=latest.get(source))
    steps = [event for reading in readings for event in reading.progress]
    return bool(last) and last.keys() <= {
        step.line.origin.source for step in steps if _is_later(step, last, since)
    }


def _is_later(step: Event, last: Mapping[str, _Raised], since: datetime) -> bool:
    source, number = step.order_key
    raised = last.get(source)
    if raised is None or number <= raised.number:
        return False
    at = step.line.at
    # Nothing before it had a time, or its steps have none: so many lines were not printed at once.
    if (at is None or raised.at is None) and number - raised.number >= WENT_ON_LINES:
        return True
    return at is not None and at >= (raised.at or since) + WENT_ON_AFTER


def _extents(readings: Sequence[Reading]) -> Iterator[Extent]:
    """Yield how far the session's own voices were heard."""
    for reading in readings:
        for extent in reading.extents:
            if (reading.origin.stream or extent.stream) in {Stream.SESSION, None}:
                yield extent
