"""Exceptions of sessions that may go on: a warning where the session is read, until something says
that it stopped, or it falls silent.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.diagnosis.model import Diagnosis, Event, Reading, Stream, VerdictStatus
from apps.fleet.models import Attempt
from apps.incidents.gather import Gathered

# A program that caught an exception prints its next line sooner than this.
SILENT_AFTER = timedelta(seconds=90)
# Other ranks may still print the step that they had done when one failed.
WENT_ON_AFTER = timedelta(seconds=30)
RAISED = "py-exception-final"


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """That a stop is only presumed: since when, and when silence would tell of it."""

    since: datetime
    until: datetime | None  # None: it went on, silence tells nothing


def doubt_of(
    *, diagnosis: Diagnosis, gathered: Gathered, attempt: Attempt, now: datetime
) -> Doubt | None:
    """Return why a stop is no incident yet, None where it is told or the log fell silent."""
    if diagnosis.is_stop_told or diagnosis.verdict.status is VerdictStatus.NO_FAILURE:
        return None
    since = attempt.doubted_at or now
    if _went_on(gathered.readings, since):
        return Doubt(since=since, until=None)
    heard = _last_heard(gathered.readings) or gathered.newest_received_at
    silent_at = min(heard, now) + SILENT_AFTER if heard else now
    return Doubt(since=since, until=silent_at) if now < silent_at else None


def note(*, attempt: Attempt, doubt: Doubt | None) -> None:
    """Say of an attempt that an exception of it may have been caught, or say so no more."""
    since = doubt.since if doubt else None
    if attempt.doubted_at != since:
        Attempt.objects.filter(pk=attempt.pk).update(doubted_at=since)
        attempt.doubted_at = since


def _went_on(readings: Sequence[Reading], since: datetime) -> bool:
    """Say whether steps were made below the last exception, later than others' last words."""
    raised = [e for reading in readings for e in reading.events if e.signature == RAISED]
    last = {e.line.origin.source: 0 for e in raised}
    for event in raised:
        source, number = event.order_key
        last[source] = max(last[source], number)
    steps = [e for reading in readings for e in reading.progress]
    return bool(last) and all(
        any(_is_later(e, place, since) for e in steps) for place in last.items()
    )


def _is_later(step: Event, place: tuple[str, int], since: datetime) -> bool:
    source, number = step.order_key
    at = step.line.at
    return (
        source == place[0] and number > place[1] and at is not None and at >= since + WENT_ON_AFTER
    )


def _last_heard(readings: Sequence[Reading]) -> datetime | None:
    """Return when the session itself spoke last, by what its lines say."""
    return max(_stamps(readings), default=None)


def _stamps(readings: Sequence[Reading]) -> Iterator[datetime]:
    for reading in readings:
        for extent in reading.extents:
            is_session = (reading.origin.stream or extent.stream) in {Stream.SESSION, None}
            if is_session and extent.last_at is not None:
                yield extent.last_at
