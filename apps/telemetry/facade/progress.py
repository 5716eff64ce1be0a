"""Steps, saves and loads of an attempt, as its logs tell them. Needs the organization's scope."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q, Sum

from apps.diagnosis.model import ProgressPoint
from apps.fleet.models import Attempt
from apps.telemetry.attempts.reading_span import ReadingSpan, attempt_span
from apps.telemetry.logs import progress_blocks
from apps.telemetry.models import LogStream, ProgressBlock
from apps.tenancy.access import Actor, Right

# Every rank of a large job may print its steps into a log of its own: these many say what it did.
MOST_STREAMS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamProgress:
    """What one log tells of a run, in the order of its lines."""

    host: str
    rank: int | None
    points: tuple[ProgressPoint, ...]


def progress_of(*, actor: Actor, attempt_id: int) -> tuple[StreamProgress, ...]:
    """Return what the organization's own logs tell of an attempt, the fullest log first."""
    actor.require(Right.READ)
    attempt = Attempt.objects.filter(pk=attempt_id).select_related("session").first()
    if attempt is None:
        return ()
    streams = {row.pk: row for row in _fullest(actor, attempt)}
    blocks = ProgressBlock.objects.filter(stream__in=streams).order_by("stream_id", "block")
    points: dict[int, list[ProgressPoint]] = defaultdict(list)
    for row in blocks:
        points[row.stream_id] += progress_blocks.unpacked(row.body)
    span = attempt_span(attempt)
    found = (
        StreamProgress(
            host=row.host,
            rank=row.rank,
            points=tuple(_of_attempt(points[pk], row, span)),
        )
        for pk, row in streams.items()
    )
    return tuple(each for each in found if each.points)


def _fullest(actor: Actor, attempt: Attempt) -> Iterable[LogStream]:
    """Return the logs with the most points, those of the attempt or of its whole session."""
    own = LogStream.objects.for_organization(actor.organization).filter(
        Q(attempt=attempt) | Q(attempt=None), session=attempt.session_id
    )
    counts = ProgressBlock.objects.for_organization(actor.organization).filter(stream__in=own)
    told = counts.values("stream").annotate(total=Sum("point_count"))
    ranked = [row["stream"] for row in told.order_by("-total", "stream")[:MOST_STREAMS]]
    rows = LogStream.objects.for_organization(actor.organization).filter(pk__in=ranked)
    return sorted(rows.defer("reader_state"), key=lambda row: ranked.index(row.pk))


def _of_attempt(
    points: Iterable[ProgressPoint], stream: LogStream, span: ReadingSpan
) -> Iterable[ProgressPoint]:
    """Return the points of an attempt: of a log of the whole session those of its time."""
    if stream.attempt_id is not None:
        return points
    return (each for each in points if each.is_local or _is_within(each.at, span))


def _is_within(at: datetime | None, span: ReadingSpan) -> bool:
    if at is None:
        return True
    is_late_enough = span.starts_at is None or at >= span.starts_at
    return is_late_enough and (span.ends_at is None or at <= span.ends_at)
