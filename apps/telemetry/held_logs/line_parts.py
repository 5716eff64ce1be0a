"""Stored parts of a stream around a line: chunks, and excerpts that were kept of those that went.

Chunks that overlap share their first number and are one part: their lines are put in order before
they are counted, as they were when the stream was read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any, Final

import numpy as np
from django.db.models import F
from numpy.typing import NDArray

from apps.telemetry.formats import line_merge
from apps.telemetry.formats.line_merge import Lines
from apps.telemetry.formats.pack import Stamps, unpacked_chunk
from apps.telemetry.models import KeptLines, LogChunk, LogStream

ROWS_AT_ONCE: Final = 32
# Chunks that overlap further are taken one behind the other: putting them in order takes memory.
MOST_TOGETHER: Final = 24
LINE_FEED: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Consecutive lines of a stream, as they are stored."""

    first: int
    line_count: int
    chunks: tuple[tuple[int, date], ...] = ()  # id and the day that it lies in
    excerpt: int | None = None
    is_rough: bool = False

    @property
    def last(self) -> int:
        """The number of its last line."""
        return self.first + self.line_count - 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartText:
    """The text of a part and where in it each line begins and ends."""

    first: int
    data: bytes
    stamps: Stamps | None
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    def line(self, index: int) -> bytes:
        """Return a line by its place in the part."""
        return self.data[int(self.starts[index]) : int(self.ends[index])]


def parts_from(stream: LogStream, number: int) -> list[Part]:
    """Return parts in order, from the one that holds a line or begins behind it."""
    rows = _chunks(stream)
    before = rows.filter(first_number__lte=number).order_by("-first_key", "-id").first()
    start = number if before is None else int(before[3])
    found = list(rows.filter(first_number__gte=start).order_by("first_key", "id")[:ROWS_AT_ONCE])
    parts = _grouped(stream, found, is_cut=len(found) == ROWS_AT_ONCE)
    kept = KeptLines.objects.for_organization(stream.organization_id).filter(stream=stream)
    behind = kept.annotate(after=F("first_number") + F("line_count")).filter(after__gt=number)
    excerpts = _excerpts(behind.order_by("first_number")[:ROWS_AT_ONCE])
    return _merged([part for part in (*parts, *excerpts) if part.last >= number])


def parts_until(stream: LogStream, number: int) -> list[Part]:
    """Return parts, the latest first, from the one that holds a line or ends before it."""
    rows = _chunks(stream).filter(first_number__lte=number).order_by("-first_key", "-id")
    found = list(rows[:ROWS_AT_ONCE])
    parts = _grouped(stream, found[::-1], is_cut=False)
    if len(found) == ROWS_AT_ONCE and len(parts) > 1 and not parts[0].is_rough:
        parts = parts[1:]  # of the first one there may be more than was read
    kept = KeptLines.objects.for_organization(stream.organization_id).filter(stream=stream)
    excerpts = _excerpts(
        kept.filter(first_number__lte=number).order_by("-first_number")[:ROWS_AT_ONCE]
    )
    return _merged([*parts, *excerpts])[::-1]


def text_of(stream: LogStream, part: Part) -> PartText:
    """Return the text of a part."""
    lines = _lines(stream, part)
    feeds = np.flatnonzero(np.frombuffer(lines.text, dtype=np.uint8) == LINE_FEED)
    starts = np.concatenate(([0], feeds + 1)).astype(np.int64)
    ends = np.concatenate((feeds, [len(lines.text)])).astype(np.int64)
    return PartText(
        first=part.first, data=lines.text, stamps=lines.stamps, starts=starts, ends=ends
    )


def _chunks(stream: LogStream) -> Any:
    own = LogChunk.objects.for_organization(stream.organization_id).filter(stream=stream)
    return own.values_list("id", "arrived_on", "first_key", "first_number", "line_count")


def _grouped(stream: LogStream, rows: Sequence[Any], *, is_cut: bool) -> list[Part]:
    """Return chunks as parts; those that overlap together, unless they are too many."""
    parts: list[Part] = []
    for first, group in groupby(rows, key=lambda row: int(row[3])):
        members = list(group)
        together = len(members) <= MOST_TOGETHER and stream.is_ordered_by_stamp
        parts += [_part(first, members)] if together else list(_one_by_one(first, members))
    return parts[:-1] if is_cut and len(parts) > 1 and not parts[-1].is_rough else parts


def _part(first: int, members: Sequence[Any]) -> Part:
    return Part(
        first=first,
        line_count=sum(row[4] for row in members),
        chunks=tuple((row[0], row[1]) for row in members),
    )


def _one_by_one(first: int, members: Sequence[Any]) -> Iterator[Part]:
    for row in members:
        chunk = ((row[0], row[1]),)
        yield Part(first=first, line_count=row[4], chunks=chunk, is_rough=len(members) > 1)
        first += row[4]


def _excerpts(rows: Any) -> list[Part]:
    found = rows.values_list("id", "first_number", "line_count")
    return [Part(first=first, line_count=count, excerpt=pk) for pk, first, count in found]


def _merged(parts: list[Part]) -> list[Part]:
    """Return parts in order; of two that hold the same lines the chunk counts, which is whole."""
    ordered: list[Part] = []
    for part in sorted(parts, key=lambda each: (each.first, each.excerpt is not None)):
        if not ordered or part.last > ordered[-1].last:
            ordered.append(part)
    return ordered


def _lines(stream: LogStream, part: Part) -> Lines:
    if part.excerpt is not None:
        kept = KeptLines.objects.for_organization(stream.organization_id)
        bodies: Any = kept.filter(pk=part.excerpt).values_list("body", "line_count")
    else:
        own = LogChunk.objects.for_organization(stream.organization_id).filter(
            arrived_on__in={day for _, day in part.chunks}, pk__in=[pk for pk, _ in part.chunks]
        )
        bodies = own.order_by("first_key", "id").values_list("body", "line_count")
    found = [_unpacked(stream, bytes(body), count) for body, count in bodies]
    if not found:  # it went between two looks
        return Lines(text=b"", line_count=1, stamps=None)
    return line_merge.in_order(parts=found) if len(found) > 1 else found[0]


def _unpacked(stream: LogStream, body: bytes, line_count: int) -> Lines:
    text, stamps = unpacked_chunk(
        body=body, line_count=line_count, is_stamped=stream.is_ordered_by_stamp
    )
    return Lines(text=text, line_count=line_count, stamps=stamps)
