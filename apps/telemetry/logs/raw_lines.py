"""Raw lines of a stream, read back for the organization that holds them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, Q, QuerySet

from apps.telemetry.formats.line_merge import instant
from apps.telemetry.formats.pack import unpacked_chunk
from apps.telemetry.models import Event, KeptLines, LogChunk, LogStream
from apps.telemetry.retention.citation_keys import line_place
from apps.tenancy.access import Actor, NotFound, Right


@dataclass(frozen=True, slots=True, kw_only=True)
class RawLine:
    """A line as it came in; `at` is its envelope's time, where it had one."""

    number: int
    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedLine:
    """A line that something rests on, as its holder's logs have it."""

    stream: str  # diagnosis.model.Stream, or empty where nothing told it
    host: str
    number: int
    at: datetime | None
    text: str | None  # None: not kept any more


Place = tuple[int, int]  # id of the stream, number of the line


def cited_lines(*, actor: Actor, references: Iterable[str]) -> Mapping[str, CitedLine]:
    """Return reference → line, of those references that name a line. Needs the actor's scope.

    One that the actor's organization did not send has no text, as one that is gone.
    """
    actor.require(Right.READ)
    places = {each: place for each in references if (place := line_place(reference=each))}
    streams = LogStream.objects.for_organization(actor.organization).defer("reader_state")
    own = streams.in_bulk({stream_id for stream_id, _ in places.values()})
    read = _events(actor=actor, places={place for place in places.values() if place[0] in own})
    return {
        each: _cited(actor=actor, stream=own.get(place[0]), number=place[1], event=read.get(place))
        for each, place in places.items()
    }


def _cited(
    *, actor: Actor, stream: LogStream | None, number: int, event: Event | None
) -> CitedLine:
    if stream is None:
        return CitedLine(stream="", host="", number=number, at=None, text=None)
    if event is not None:
        text, at, host = event.body["text"], event.at, event.host or stream.host
        return CitedLine(stream=stream.kind, host=host, number=number, at=at, text=text)
    found = lines_around(actor=actor, stream_id=stream.pk, number=number, margin=0)
    raw = next(iter(found), None)
    text, at = (raw.text, raw.at) if raw else (None, None)
    return CitedLine(stream=stream.kind, host=stream.host, number=number, at=at, text=text)


def _events(*, actor: Actor, places: set[Place]) -> dict[Place, Event]:
    """Return what was read of these lines; of several facts of one line the first."""
    named = Q(pk=None)
    for stream_id, number in places:
        named |= Q(stream=stream_id, order_key=number)
    rows = Event.objects.for_organization(actor.organization).filter(named)
    # The first id comes last and so stays.
    return {(row.stream_id, row.order_key): row for row in rows.order_by("-id")}


def lines_around(*, actor: Actor, stream_id: int, number: int, margin: int) -> tuple[RawLine, ...]:
    """Return a line and its neighbours, as far as they are kept; raise NotFound.

    Needs the holder's scope. Lines around a citation outlive their chunk.
    """
    actor.require(Right.READ)
    stream = LogStream.objects.for_organization(actor.organization).filter(pk=stream_id).first()
    if stream is None:
        raise NotFound
    first, last = max(1, number - margin), number + margin
    # The bound on the left is the index's; what ends before the first line is not even loaded.
    near = Q(first_number__lte=last, first_number__gt=first - LARGEST_CHUNK_LINES)
    near &= Q(first_number__gt=first - F("line_count"))
    kept = KeptLines.objects.for_organization(stream.organization_id).filter(near, stream=stream)
    chunks = _chunks(stream).filter(near).defer("state_before")
    parts: list[LogChunk | KeptLines] = [*kept, *chunks]
    return tuple(
        line
        for part in sorted(parts, key=lambda part: (part.first_number, part.pk))
        for line in lines_of(chunk=part, stream=stream)
        if first <= line.number <= last
    )


def lines_of(*, chunk: LogChunk | KeptLines, stream: LogStream) -> Iterator[RawLine]:
    """Yield the lines of one chunk."""
    text, stamps = unpacked_chunk(
        body=bytes(chunk.body),
        line_count=chunk.line_count,
        is_stamped=stream.is_ordered_by_stamp,
    )
    for position, line in enumerate(text.decode().split("\n")):
        at = None if stamps is None else instant(nanoseconds=int(stamps[position]))
        yield RawLine(number=chunk.first_number + position, text=line, at=at)


# A chunk has at most the lines of one turn: see `drain.GROUP_BYTES`, a byte a line.
LARGEST_CHUNK_LINES = 16 * 2**20


def _chunks(stream: LogStream) -> QuerySet[LogChunk]:
    return LogChunk.objects.for_organization(stream.organization_id).filter(stream=stream)
