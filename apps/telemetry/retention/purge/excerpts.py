"""Lines around citations, cut out of chunks before these go."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from django.db.models import Sum

from apps.telemetry.formats import line_merge
from apps.telemetry.formats.line_merge import Lines
from apps.telemetry.formats.pack import packed_chunk, unpacked_chunk
from apps.telemetry.models import KeptLines, LogChunk
from apps.telemetry.retention.references import Citing

# Chunks that overlap are put in order together, as they were read; a longer chain part by part,
# which may miss by as many lines as overlap.
TOGETHER: Final = 500_000

Group = tuple[int, int]  # stream, number of the first line: chunks that overlap share it


def excerpts(
    *, organization_id: int, groups: Iterable[Group], citing: Citing, now: datetime
) -> Iterator[KeptLines]:
    """Yield what is cited of these chunks, with its margins. Needs the scope."""
    # One look at the streams that are cited at all; most are not.
    cited = {group for group in groups if citing.has_stream(stream_id=group[0])}
    chunks = LogChunk.objects.for_organization(organization_id)
    counted = chunks.filter(
        stream__in={group[0] for group in cited}, first_number__in={group[1] for group in cited}
    ).values_list("stream_id", "first_number")
    sums = {(row[0], row[1]): row[2] for row in counted.annotate(lines=Sum("line_count"))}
    for stream_id, first_number in sorted(cited):
        count = sums.get((stream_id, first_number), 0)
        if citing.within(stream_id=stream_id, span=(first_number, first_number + count - 1)):
            own = chunks.filter(stream=stream_id, first_number=first_number)
            rows = own.select_related("stream").order_by("first_key", "id")
            for number, lines in _numbered(rows, first_number, is_together=count <= TOGETHER):
                yield from _cut(rows[0], number, lines, citing, now)


def _numbered(
    rows: Iterable[LogChunk],
    number: int,
    is_together: bool,  # noqa: FBT001  a choice of the caller above alone
) -> Iterator[tuple[int, Lines]]:
    parts = map(_lines, rows)
    if is_together:
        gathered = list(parts)
        whole = line_merge.in_order(parts=gathered) if len(gathered) > 1 else gathered[0]
        yield number, whole
        return
    for part in parts:
        yield number, part
        number += part.line_count


def _lines(chunk: LogChunk) -> Lines:
    text, stamps = unpacked_chunk(
        body=bytes(chunk.body),
        line_count=chunk.line_count,
        is_stamped=chunk.stream.is_ordered_by_stamp,
    )
    return Lines(text=text, line_count=chunk.line_count, stamps=stamps)


def _cut(
    chunk: LogChunk, number: int, lines: Lines, citing: Citing, now: datetime
) -> Iterator[KeptLines]:
    texts: Sequence[bytes] = lines.text.split(b"\n")
    span = (number, number + lines.line_count - 1)
    for first, last in citing.within(stream_id=chunk.stream_id, span=span):
        start, end = first - number, last - number + 1
        stamps = None if lines.stamps is None else lines.stamps[start:end]
        yield KeptLines(
            organization_id=chunk.organization_id,
            stream_id=chunk.stream_id,
            first_number=first,
            line_count=end - start,
            body=packed_chunk(text=b"\n".join(texts[start:end]), stamps=stamps),
            kept_at=now,
        )
