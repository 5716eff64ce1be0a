"""When the lines that speak of an attempt came: its own span, and the streams around it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Q

from apps.diagnosis.reasoning.timing.clocks.late_lines import is_read_soon
from apps.diagnosis.zone_names import IN_USE
from apps.fleet.models import Attempt
from apps.telemetry.logs.interpretation import event_rows
from apps.telemetry.models import LogStream, VoiceExtent

# What happened around an attempt on its hosts may explain it; the diagnosis decides.
BEFORE = timedelta(hours=1)
AFTER = timedelta(minutes=20)
# Between two attempts whose streams carry no attempt label.
MARGIN = timedelta(minutes=2)
# No zone is further from UTC.
ZONE = timedelta(hours=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingSpan:
    """From when to when lines are taken."""

    starts_at: datetime | None
    ends_at: datetime | None


def attempt_span(attempt: Attempt) -> ReadingSpan:
    """Return when an attempt ran, bounded by the next one; an only attempt takes everything."""
    spans = attempt_spans(session_id=attempt.session_id)
    # Who has no scope of its tenant reads no attempt, and so no lines between attempts.
    return spans.get(attempt.number, ReadingSpan(starts_at=None, ends_at=None))


def attempt_spans(*, session_id: int) -> dict[int, ReadingSpan]:
    """Return when each attempt of a session ran, by its number."""
    rows = Attempt.objects.filter(session=session_id).order_by("number")
    times = list(rows.values_list("number", "started_at", "ended_at"))
    spans: dict[int, ReadingSpan] = {}
    for place, (number, started_at, _ended_at) in enumerate(times):
        ends = [ended for *_, ended in times[:place] if ended]
        nexts = [started for _, started, _ in times[place + 1 :] if started]
        starts_at = (started_at or max(ends, default=None)) if place else None
        spans[number] = ReadingSpan(
            starts_at=starts_at - MARGIN if starts_at else None,
            ends_at=min(nexts) - timedelta(seconds=1) if nexts else None,
        )
    return spans


def span_around(*, attempt: Attempt, own: Sequence[LogStream]) -> ReadingSpan:
    """Return the span of an attempt with what came shortly before and after."""
    heard_first, heard_last = _heard(own)
    first = attempt.started_at or heard_first
    last = attempt.ended_at or heard_last
    # A scheduler may print the end before the last rank has.
    if attempt.ended_at and heard_last and len(own) and own[0].attempt_id:
        last = max(attempt.ended_at, heard_last)
    return ReadingSpan(
        starts_at=first - BEFORE if first else None, ends_at=last + AFTER if last else None
    )


def _heard(own: Sequence[LogStream]) -> tuple[datetime | None, datetime | None]:
    """Return when a session spoke at the earliest and at the latest, in whatever zone it printed
    its times."""
    voices = VoiceExtent.objects.filter(stream__in=[each.pk for each in own])
    extents = [event_rows.extent_of(row=voice) for voice in voices]
    firsts = [_earliest(each.first_at, each.first_local_at) for each in extents]
    lasts = [_latest(each.last_at, each.last_local_at) for each in extents]
    return min(filter(None, firsts), default=None), max(filter(None, lasts), default=None)


def _earliest(at: datetime | None, local: datetime | None) -> datetime | None:
    if local is None or (at is not None and is_read_soon(read_at=at, printed=local)):
        return at
    printed = local.replace(tzinfo=UTC) - IN_USE[-1]
    return printed if at is None else min(at, printed)


def _latest(at: datetime | None, local: datetime | None) -> datetime | None:
    # No line is printed after it was read.
    return at if at or local is None else local.replace(tzinfo=UTC) - IN_USE[0]


def streams_around(attempt: Attempt, span: ReadingSpan) -> Iterable[LogStream]:
    """Return the streams of no session that spoke at that time."""
    unjoined = LogStream.objects.filter(cluster=attempt.session.cluster_id, session=None)
    # Streams without any time may have spoken then, too.
    if span.starts_at:
        unjoined = unjoined.filter(Q(last_at=None) | Q(last_at__gte=span.starts_at - ZONE))
    if span.ends_at:
        unjoined = unjoined.filter(Q(first_at=None) | Q(first_at__lte=span.ends_at + ZONE))
    rows = unjoined.exclude(labels__has_key="session")
    return rows.defer("reader_state").order_by("id")
