"""One stream read on by what came in: appended where it fits, read again from where it doesn't."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain

from django.db.models import QuerySet

from apps.diagnosis import model
from apps.diagnosis.signatures.read import StreamReader
from apps.telemetry import facts, splice, streams
from apps.telemetry.formats.pack import packed_chunk, unpacked_chunk
from apps.telemetry.models import Batch, Event, LogChunk, LogStream
from apps.telemetry.splice import Lines, Times

BEHIND_STORED = 2**62  # where a chunk without an id stands among those of its key
Voice = tuple[str, int | None]
Latest = tuple[str, int | None, str]
Fed = tuple[model.Reading, bytes]  # what lines said, and the state behind them
Span = tuple[datetime | None, datetime | None]


@dataclass(slots=True, kw_only=True)
class Work:
    """What a turn adds to one stream, until it is written."""

    stream: LogStream
    received_at: datetime
    new_chunks: list[LogChunk] = field(default_factory=list)
    old_chunks: list[LogChunk] = field(default_factory=list)  # numbered anew
    events: list[Event] = field(default_factory=list)
    progress: dict[Latest, model.Event] = field(default_factory=dict)
    extents: dict[Voice, model.Extent] = field(default_factory=dict)
    replaced_from: int | None = None  # facts from this line number on are written anew
    is_read_again: bool = False
    is_whole: bool = False  # read again from its first line
    new_line_count: int = 0
    duplicate_count: int = 0
    spans: list[Span] = field(default_factory=list)


def read_stamped(*, work: Work, parts: Sequence[tuple[Batch, Lines]]) -> None:
    """Read lines that carry stamps, in whatever order they came."""
    stream = work.stream
    total = sum(lines.line_count for _, lines in parts)
    lines: Lines | None = splice.in_order(parts=[lines for _, lines in parts])
    if stream.line_count and lines is not None and _first(lines) <= stream.read_until:
        known = _stored(
            _chunks(stream).filter(last_key__gte=_first(lines), first_key__lte=_last(lines))
        )
        lines = splice.without_stamped(lines=lines, known=known)
    work.duplicate_count += total - (lines.line_count if lines else 0)
    if lines is None:
        return
    keys = (_first(lines), _last(lines))
    if stream.line_count and keys[0] < stream.read_until:
        _insert(work=work, batch=parts[-1][0], lines=lines, keys=keys)
    else:
        _append(work=work, batch=parts[-1][0], lines=lines, keys=keys)


def read_file_part(*, work: Work, batch: Batch, lines: Lines) -> None:
    """Read lines without stamps: in the order of arrival, unless they are surely earlier."""
    before = bytes(work.stream.reader_state)
    read = _fed(work=work, lines=lines, state=before, number=work.stream.line_count + 1)
    span, fed = span_of(read[0]), read if work.stream.line_count == 0 else None
    if work.stream.line_count:
        known = _maybe_same(work=work, batch=batch, span=span)
        fresh = splice.without_repeated(lines=lines, known=known)
        work.duplicate_count += lines.line_count - (fresh.line_count if fresh else 0)
        if fresh is None:
            return
        fed = read if fresh is lines else None
        lines = fresh
    keys = _arrival_keys(work=work, span=span, line_count=lines.line_count)
    if keys[0] <= work.stream.read_until and work.stream.line_count:
        _insert(work=work, batch=batch, lines=lines, keys=keys, span=span)
    else:
        _append(work=work, batch=batch, lines=lines, keys=keys, fed=fed)


def read_again(*, work: Work, from_key: int | None) -> None:
    """Read a stream again from the last safe place before a key, or from its start.

    Where the start of the text went, what was read of it stays: reading begins behind it.
    """
    stored = _chunks(work.stream).defer("body")
    chunks = sorted(
        chain(stored, work.new_chunks), key=lambda c: (c.first_key, c.pk or BEHIND_STORED)
    )
    groups = list(_groups(chunks, is_merged=work.stream.is_ordered_by_stamp))
    if not groups:
        return
    start = 0 if from_key is None else _safe_start(groups, from_key)
    number = groups[start][0].first_number if start else _first_kept(work=work, chunks=chunks)
    state = b"" if number == 1 else bytes(groups[start][0].state_before or b"")
    _forget(work=work, number=number, is_whole=number == 1)
    for group in groups[start:]:
        _mark(group=group, state=state, number=number)
        lines = _joined(group, is_stamped=work.stream.is_ordered_by_stamp)
        reading, state = _fed(work=work, lines=lines, state=state, number=number)
        _take(work=work, reading=reading, lines=lines, number=number)
        number += lines.line_count
    work.old_chunks = [chunk for group in groups[start:] for chunk in group if chunk.pk]
    _finish(work=work, state=state)


def _first_kept(*, work: Work, chunks: Sequence[LogChunk]) -> int:
    """Return the number of the first line with a text; lines that came now count from it."""
    stored = [chunk.first_number for chunk in chunks if chunk.pk]
    fresh = sum(chunk.line_count for chunk in work.new_chunks)
    return min(stored, default=work.stream.line_count - fresh + 1)


def span_of(reading: model.Reading) -> Span:
    """Return from when to when a part of a stream speaks; local time where no zone is known."""
    firsts = [at for e in reading.extents if (at := e.first_at or _utc(e.first_local_at))]
    lasts = [at for e in reading.extents if (at := e.last_at or _utc(e.last_local_at))]
    return (min(firsts, default=None), max(lasts, default=None))


def _append(
    *, work: Work, batch: Batch, lines: Lines, keys: tuple[int, int], fed: Fed | None = None
) -> None:
    stream = work.stream
    before, number = bytes(stream.reader_state), stream.line_count + 1
    reading, state = fed or _fed(work=work, lines=lines, state=before, number=number)
    work.new_chunks.append(
        _chunk(work=work, batch=batch, lines=lines, keys=keys, span=span_of(reading))
    )
    _mark(group=work.new_chunks[-1:], state=before, number=number)
    if stream.open_from is not None:
        # The record that was open may have grown: what it said so far is said again.
        work.replaced_from = min(work.replaced_from or stream.open_from, stream.open_from)
        work.events = [row for row in work.events if row.order_key < stream.open_from]
    _take(work=work, reading=reading, lines=lines, number=number)
    stream.line_count += lines.line_count
    stream.read_until = max(stream.read_until, keys[1]) if number > 1 else keys[1]
    work.new_line_count += lines.line_count
    _finish(work=work, state=state)


def _insert(
    *,
    work: Work,
    batch: Batch,
    lines: Lines,
    keys: tuple[int, int],
    span: Span = (None, None),
) -> None:
    """Keep late lines where they belong and read on from there."""
    if lines.stamps is not None:
        span = (splice.instant(nanoseconds=keys[0]), splice.instant(nanoseconds=keys[1]))
    work.new_chunks.append(_chunk(work=work, batch=batch, lines=lines, keys=keys, span=span))
    work.stream.line_count += lines.line_count
    work.stream.read_until = max(work.stream.read_until, keys[1])
    work.new_line_count += lines.line_count
    read_again(work=work, from_key=keys[0])


def _fed(*, work: Work, lines: Lines, state: bytes, number: int) -> tuple[model.Reading, bytes]:
    origin = streams.origin_of(stream=work.stream, received_at=work.received_at)
    reader = StreamReader(origin=origin, state=state or None)
    times = None if lines.stamps is None else Times(lines.stamps)
    reading = reader.feed(text=lines.text.decode(), first_number=number, stamps=times)
    return reading, reader.state


def _take(*, work: Work, reading: model.Reading, lines: Lines, number: int) -> None:
    """Note what a part of the stream said."""
    work.events += [_row(work, event, lines, number) for event in reading.events]
    _note_progress(work, reading.progress)
    for extent in reading.extents:
        voice = (extent.host or "", extent.rank)
        known = work.extents.get(voice)
        work.extents[voice] = facts.merged(one=known, other=extent) if known else extent
    work.spans.append(span_of(reading))


def _finish(*, work: Work, state: bytes) -> None:
    """Keep where to go on, and what a record that is still open says so far."""
    stream = work.stream
    stream.reader_state = state
    stream.last_received_at = work.received_at
    origin = streams.origin_of(stream=stream, received_at=work.received_at)
    closing = StreamReader(origin=origin, state=state or None).close()
    numbers = [event.line.number for event in (*closing.events, *closing.progress)]
    stream.open_from = min(numbers, default=None)
    work.events += [_row(work, event, None, 0) for event in closing.events]
    _note_progress(work, closing.progress)


def _row(work: Work, event: model.Event, lines: Lines | None, number: int) -> Event:
    """A stamp names its line for good; a number does where lines carry none."""
    position = event.line.number - number
    if lines is not None and lines.stamps is not None and 0 <= position < lines.line_count:
        identity = f"at:{int(lines.stamps[position])}"
    else:
        identity = f"no:{event.line.number}"
    return facts.event_row(
        event=event, stream=work.stream, identity=identity, received_at=work.received_at
    )


def _note_progress(work: Work, progress: Sequence[model.Event]) -> None:
    for event in progress:
        key = (event.line.host or "", event.line.rank, event.signature)
        known = work.progress.get(key)
        if known is None or known.line.number <= event.line.number:
            work.progress[key] = event


def _chunk(
    *,
    work: Work,
    batch: Batch,
    lines: Lines,
    keys: tuple[int, int],
    span: Span,
) -> LogChunk:
    return LogChunk(
        organization_id=work.stream.organization_id,
        stream=work.stream,
        batch=batch,
        arrived_on=batch.received_at.astimezone(UTC).date(),
        part=sum(chunk.batch_id == batch.pk for chunk in work.new_chunks),
        first_key=keys[0],
        last_key=keys[1],
        line_count=lines.line_count,
        starts_at=span[0],
        ends_at=span[1],
        body=packed_chunk(text=lines.text, stamps=lines.stamps),
    )


def _mark(*, group: Sequence[LogChunk], state: bytes, number: int) -> None:
    """Only in front of a group of overlapping chunks can reading begin again."""
    for position, chunk in enumerate(group):
        chunk.state_before = state if position == 0 else None
        chunk.first_number = number


def _forget(*, work: Work, number: int, is_whole: bool) -> None:
    work.is_read_again, work.is_whole = True, is_whole
    work.replaced_from = min(number, work.replaced_from or number)
    work.events = [row for row in work.events if row.order_key < number]
    work.progress = {k: e for k, e in work.progress.items() if e.line.number < number}
    if is_whole:
        work.extents = {}


def _groups(chunks: Sequence[LogChunk], *, is_merged: bool) -> Iterator[list[LogChunk]]:
    """Yield chunks that overlap together; without stamps each stands alone."""
    group: list[LogChunk] = []
    for chunk in chunks:
        if group and (not is_merged or chunk.first_key > max(c.last_key for c in group)):
            yield group
            group = []
        group.append(chunk)
    if group:
        yield group


def _safe_start(groups: Sequence[Sequence[LogChunk]], key: int) -> int:
    """Return the last group in front of which reading may begin and nothing new stands."""
    reached = next(
        (i for i, group in enumerate(groups) if max(c.last_key for c in group) >= key), 0
    )
    while reached and groups[reached][0].state_before is None:
        reached -= 1
    return reached


def _joined(group: Sequence[LogChunk], *, is_stamped: bool) -> Lines:
    parts = list(_stored(group))
    return splice.in_order(parts=parts) if is_stamped and len(parts) > 1 else parts[0]


def _stored(chunks: Iterable[LogChunk]) -> Iterator[Lines]:
    for chunk in chunks:
        text, stamps = unpacked_chunk(
            body=_body(chunk),
            line_count=chunk.line_count,
            is_stamped=chunk.stream.is_ordered_by_stamp,
        )
        yield Lines(text=text, line_count=chunk.line_count, stamps=stamps)


def _body(chunk: LogChunk) -> bytes:
    """Return a chunk's body without keeping it: a long stream is read again bit by bit."""
    if "body" not in chunk.get_deferred_fields():
        return bytes(chunk.body)
    own = LogChunk.objects.for_organization(chunk.organization_id).filter(
        arrived_on=chunk.arrived_on
    )
    return bytes(own.values_list("body", flat=True).get(pk=chunk.pk))


def _chunks(stream: LogStream) -> QuerySet[LogChunk]:
    own = LogChunk.objects.for_organization(stream.organization_id).filter(stream=stream)
    return own.select_related("stream").order_by("first_key", "id")


def _maybe_same(*, work: Work, batch: Batch, span: Span) -> Iterator[Lines]:
    """Return stored parts that may hold the same lines: those of other bodies, at that time."""
    others = _chunks(work.stream).exclude(batch__upload=batch.upload)
    if span[0] is not None and span[1] is not None:
        others = others.exclude(ends_at__lt=span[0]).exclude(starts_at__gt=span[1])
    fresh = [c for c in work.new_chunks if c.batch.upload != batch.upload]
    return chain(_stored(others), _stored(fresh))


def _arrival_keys(*, work: Work, span: Span, line_count: int) -> tuple[int, int]:
    """Return the place of a part: behind all others, unless its last time is before their first."""
    start, end = span
    if start is not None and end is not None and _is_before(work=work, end=end):
        return (splice.nanoseconds(at=start), splice.nanoseconds(at=end))
    first = work.stream.read_until + 1
    if start is not None:
        first = max(first, splice.nanoseconds(at=start))
    return (first, max(first + line_count, splice.nanoseconds(at=end) if end else 0))


def _is_before(*, work: Work, end: datetime) -> bool:
    if any(chunk.starts_at and chunk.starts_at > end for chunk in work.new_chunks):
        return True
    return _chunks(work.stream).filter(starts_at__gt=end).exists()


def _first(lines: Lines) -> int:
    assert lines.stamps is not None  # noqa: S101  the type can't say that a stream is stamped
    return int(lines.stamps[0])


def _last(lines: Lines) -> int:
    assert lines.stamps is not None  # noqa: S101  the type can't say that a stream is stamped
    return int(lines.stamps[-1])


def _utc(local_at: datetime | None) -> datetime | None:
    return local_at.replace(tzinfo=UTC) if local_at else None
