"""One stream read on by what came in: appended where it fits, read again from where it doesn't."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain

from apps.diagnosis import model
from apps.diagnosis.signatures.read import StreamReader
from apps.telemetry.formats import line_merge
from apps.telemetry.formats.line_merge import Lines, LineTimes
from apps.telemetry.formats.pack import packed_chunk
from apps.telemetry.logs import streams
from apps.telemetry.logs.chunks import (
    BEHIND_STORED,
    chunks_of,
    grouped,
    joined,
    lines_of,
    mark,
    safe_start,
)
from apps.telemetry.logs.interpretation.stream_update import (
    Span,
    Work,
    forget,
    note_progress,
    row_of,
    span_of,
    take,
)
from apps.telemetry.models import Batch, LogChunk
from apps.telemetry.step_traces.collective_tails import MARK, collectives_in, latest

Fed = tuple[model.Reading, bytes]  # what lines said, and the state behind them


def read_stamped(*, work: Work, parts: Sequence[tuple[Batch, Lines]]) -> None:
    """Read lines that carry stamps, in whatever order they came."""
    stream = work.stream
    total = sum(lines.line_count for _, lines in parts)
    lines: Lines | None = line_merge.in_order(parts=[lines for _, lines in parts])
    if stream.line_count and lines is not None and _first(lines) <= stream.read_until:
        known = lines_of(
            chunks_of(stream).filter(last_key__gte=_first(lines), first_key__lte=_last(lines))
        )
        lines = line_merge.without_stamped(lines=lines, known=_metered(work, known))
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
        fresh = line_merge.without_repeated(lines=lines, known=_metered(work, known))
        work.duplicate_count += lines.line_count - (fresh.line_count if fresh else 0)
        if fresh is None:
            return
        fed = read if fresh is lines else None
        lines = fresh
    keys = _arrival_keys(work=work, batch=batch, span=span, line_count=lines.line_count)
    if keys[0] <= work.stream.read_until and work.stream.line_count:
        _insert(work=work, batch=batch, lines=lines, keys=keys, span=span)
    else:
        _append(work=work, batch=batch, lines=lines, keys=keys, fed=fed)


def read_again(*, work: Work, from_key: int | None) -> None:
    """Read a stream again from the last safe place before a key, or from its start.

    Where the start of the text went, what was read of it stays: reading begins behind it.
    """
    stored = chunks_of(work.stream).defer("body")
    chunks = sorted(
        chain(stored, work.new_chunks), key=lambda c: (c.first_key, c.pk or BEHIND_STORED)
    )
    groups = list(grouped(chunks, is_merged=work.stream.is_ordered_by_stamp))
    if not groups:
        return
    start = 0 if from_key is None else safe_start(groups, from_key)
    number = groups[start][0].first_number if start else _first_kept(work=work, chunks=chunks)
    state = b"" if number == 1 else bytes(groups[start][0].state_before or b"")
    forget(work=work, number=number, is_whole=number == 1)
    for group in groups[start:]:
        mark(group=group, state=state, number=number)
        lines = joined(group, is_stamped=work.stream.is_ordered_by_stamp)
        work.budget.allow_stored(byte_count=len(lines.text))
        reading, state = _fed(work=work, lines=lines, state=state, number=number)
        take(work=work, reading=reading, lines=lines, number=number)
        number += lines.line_count
    work.old_chunks = [chunk for group in groups[start:] for chunk in group if chunk.pk]
    _finish(work=work, state=state)


def _first_kept(*, work: Work, chunks: Sequence[LogChunk]) -> int:
    """Return the number of the first line with a text; lines that came now count from it."""
    stored = [chunk.first_number for chunk in chunks if chunk.pk]
    fresh = sum(chunk.line_count for chunk in work.new_chunks)
    return min(stored, default=work.stream.line_count - fresh + 1)


def _append(
    *, work: Work, batch: Batch, lines: Lines, keys: tuple[int, int], fed: Fed | None = None
) -> None:
    stream = work.stream
    before, number = bytes(stream.reader_state), stream.line_count + 1
    reading, state = fed or _fed(work=work, lines=lines, state=before, number=number)
    work.new_chunks.append(
        _chunk(work=work, batch=batch, lines=lines, keys=keys, span=span_of(reading))
    )
    mark(group=work.new_chunks[-1:], state=before, number=number)
    if stream.open_from is not None:
        # The record that was open may have grown: what it said so far is said again.
        work.replaced_from = min(work.replaced_from or stream.open_from, stream.open_from)
        work.events = [row for row in work.events if row.order_key < stream.open_from]
    take(work=work, reading=reading, lines=lines, number=number)
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
        span = (line_merge.instant(nanoseconds=keys[0]), line_merge.instant(nanoseconds=keys[1]))
    work.new_chunks.append(_chunk(work=work, batch=batch, lines=lines, keys=keys, span=span))
    work.stream.line_count += lines.line_count
    work.stream.read_until = max(work.stream.read_until, keys[1])
    work.new_line_count += lines.line_count
    read_again(work=work, from_key=keys[0])


def _fed(*, work: Work, lines: Lines, state: bytes, number: int) -> tuple[model.Reading, bytes]:
    origin = streams.origin_of(stream=work.stream, received_at=work.received_at)
    reader = StreamReader(origin=origin, state=state or None, check=work.budget.check)
    times = None if lines.stamps is None else LineTimes(lines.stamps)
    if MARK in lines.text:
        work.budget.check()
        work.collectives = latest([*work.collectives, *collectives_in(bytes(lines.text))])
    reading = reader.feed(text=lines.text.decode(), first_number=number, stamps=times)
    return reading, reader.state


def _finish(*, work: Work, state: bytes) -> None:
    """Keep where to go on, and what a record that is still open says so far."""
    stream = work.stream
    stream.reader_state = state
    stream.last_received_at = work.received_at
    origin = streams.origin_of(stream=stream, received_at=work.received_at)
    closing = StreamReader(origin=origin, state=state or None).close()
    numbers = [event.line.number for event in (*closing.events, *closing.progress)]
    stream.open_from = min(numbers, default=None)
    work.events += [row_of(work, event, None, 0) for event in closing.events]
    note_progress(work, closing.progress)


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


def _metered(work: Work, known: Iterable[Lines]) -> Iterator[Lines]:
    """Yield stored parts, each with the time that looking at it may take."""
    for part in known:
        work.budget.allow_stored(byte_count=len(part.text))
        work.budget.check()
        yield part


def _maybe_same(*, work: Work, batch: Batch, span: Span) -> Iterator[Lines]:
    """Return stored parts that may hold the same lines: those of other bodies, at that time."""
    others = chunks_of(work.stream).exclude(batch__upload=batch.upload)
    if span[0] is not None and span[1] is not None:
        others = others.exclude(ends_at__lt=span[0]).exclude(starts_at__gt=span[1])
    fresh = [c for c in work.new_chunks if c.batch.upload != batch.upload]
    return chain(lines_of(others), lines_of(fresh))


def _arrival_keys(*, work: Work, batch: Batch, span: Span, line_count: int) -> tuple[int, int]:
    """Return the place of a part: behind all others, unless it ends before another file begins.

    Parts of one file stay in its order, whatever it prints: read from a folder it is read so, too.
    """
    start, end = span
    if start is not None and end is not None and _is_before(work=work, batch=batch, end=end):
        return (line_merge.nanoseconds(at=start), line_merge.nanoseconds(at=end))
    first = work.stream.read_until + 1
    if start is not None:
        first = max(first, line_merge.nanoseconds(at=start))
    return (first, max(first + line_count, line_merge.nanoseconds(at=end) if end else 0))


def _is_before(*, work: Work, batch: Batch, end: datetime) -> bool:
    stored = chunks_of(work.stream).filter(starts_at__gt=end)
    if stored.exclude(batch__upload=batch.upload).exists():
        return True
    fresh = (chunk for chunk in work.new_chunks if chunk.batch.upload != batch.upload)
    return any(chunk.starts_at and chunk.starts_at > end for chunk in fresh)


def _first(lines: Lines) -> int:
    assert lines.stamps is not None  # noqa: S101  the type can't say that a stream is stamped
    return int(lines.stamps[0])


def _last(lines: Lines) -> int:
    assert lines.stamps is not None  # noqa: S101  the type can't say that a stream is stamped
    return int(lines.stamps[-1])
