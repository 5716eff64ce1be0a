"""Steps, saves and loads of an attempt, as its logs tell them. Needs the organization's scope."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Final

from django.db.models import Sum

from apps.diagnosis.model import PointKind, ProgressPoint
from apps.telemetry.attempts.reading_span import ReadingSpan, attempt_spans
from apps.telemetry.logs import progress_blocks
from apps.telemetry.models import LogStream, ProgressBlock
from apps.tenancy.access import Actor, Right

# Every rank of a large job may print its steps into a log of its own: these many say what it did.
MOST_STREAMS: Final = 8
# Of a session that tells more, its newest logs are read, and every second, fourth … of their steps.
MOST_BLOCKS: Final = 256
MOST_POINTS: Final = 2**15
# Saves and loads of a log; of more the last ones.
MOST_MARKS: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamProgress:
    """What one log tells of a run, in the order of its lines."""

    host: str
    rank: int | None
    points: tuple[ProgressPoint, ...]


def progress_of(*, actor: Actor, session_id: int) -> Mapping[int, tuple[StreamProgress, ...]]:
    """Return attempt number → what the organization's own logs tell of it, the fullest first.

    Attempts of which nothing is told are left out.
    """
    actor.require(Right.READ)
    spans = attempt_spans(session_id=session_id)
    streams = _streams(actor, session_id)
    chosen = {
        number: [row for row in streams if row.attempt is None or row.attempt.number == number][
            :MOST_STREAMS
        ]
        for number in spans
    }
    points = _points({row.pk for rows in chosen.values() for row in rows})
    found = {
        number: tuple(
            StreamProgress(
                host=row.host,
                rank=row.rank,
                points=tuple(_of_attempt(points[row.pk], row, spans[number])),
            )
            for row in rows
        )
        for number, rows in chosen.items()
    }
    told = {number: tuple(log for log in logs if log.points) for number, logs in found.items()}
    return {number: logs for number, logs in told.items() if logs}


def _streams(actor: Actor, session_id: int) -> Sequence[LogStream]:
    """Return the session's logs that tell of its progress, those with the most points first."""
    blocks = ProgressBlock.objects.for_organization(actor.organization)
    told = blocks.filter(stream__session=session_id).values("stream")
    counts = dict(told.annotate(total=Sum("point_count")).values_list("stream", "total"))
    rows = LogStream.objects.for_organization(actor.organization).filter(pk__in=counts)
    known = rows.defer("reader_state").select_related("attempt")
    return sorted(known, key=lambda row: (-counts[row.pk], row.pk))


def _points(stream_ids: Collection[int]) -> Mapping[int, list[ProgressPoint]]:
    newest = ProgressBlock.objects.filter(stream__in=stream_ids).order_by("-stream", "-block")
    rows = list(newest[:MOST_BLOCKS])
    total, stride = sum(row.point_count for row in rows), 1
    while total > MOST_POINTS * stride:
        stride *= 2
    pieces: dict[int, list[list[ProgressPoint]]] = defaultdict(list)
    room: dict[int, int] = defaultdict(lambda: MOST_MARKS)
    for row in rows:
        found = progress_blocks.unpacked(row.body, stride=stride, most_marks=room[row.stream_id])
        room[row.stream_id] -= sum(each.kind is not PointKind.STEP for each in found)
        pieces[row.stream_id].append(found)
    whole = {pk: [*chain.from_iterable(reversed(some))] for pk, some in pieces.items()}
    return defaultdict(list, whole)


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
