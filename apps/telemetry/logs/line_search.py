"""Lines of an organization's own logs that hold a text, the newest received first.

What is looked through is bounded by bytes, and how far that reached is said.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from django.db.models import QuerySet

from apps.telemetry.formats.pack import unpacked_chunk
from apps.telemetry.logs.raw_lines import RawLine, lines_of
from apps.telemetry.models import LogChunk, LogStream
from apps.tenancy.access import Actor, Right

BYTES: Final = 48 * 2**20  # of text: some 0.1 s
CHUNKS: Final = 2000
AT_ONCE: Final = 64
LONGEST: Final = 400  # of a line, as it is shown


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLine:
    """A line that holds the text, and where it stands."""

    reference: str  # stream:<id>/<line number>
    text: str
    at: datetime | None
    stream: str  # diagnosis.model.Stream
    host: str
    session: str  # a public id; empty: of no session


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSearch:
    """What was found, and how far back was looked."""

    lines: tuple[FoundLine, ...]
    line_count: int  # that were looked through
    is_whole: bool  # all that is kept was looked through, or enough was found
    reached: date | None  # the day of arrival of the oldest that was looked through


def search_lines(*, actor: Actor, text: str, limit: int, most_bytes: int = BYTES) -> LineSearch:
    """Return the newest lines that hold a text as it is written, whatever its case.

    Needs the scope of the actor's organization.
    """
    actor.require(Right.READ)
    needle = text.encode().lower()
    own = LogChunk.objects.for_organization(actor.organization)
    places = own.order_by("-arrived_on", "-id").values_list("pk", "arrived_on")
    found: list[FoundLine] = []
    left, count, reached, read = most_bytes, 0, None, 0
    chunks = list(places[: CHUNKS + 1])
    for row in _read(own, chunks[:CHUNKS]):
        body = unpacked_chunk(
            body=bytes(row.body),
            line_count=row.line_count,
            is_stamped=row.stream.is_ordered_by_stamp,
        )[0]
        left, count, read = left - len(body), count + row.line_count, read + 1
        reached = row.arrived_on
        if needle in body.lower():
            found.extend(_newest_first(row, row.stream, text.lower()))
        if len(found) >= limit or left <= 0:
            break
    is_whole = len(found) >= limit or read == len(chunks)
    return LineSearch(
        lines=tuple(found[:limit]), line_count=count, is_whole=is_whole, reached=reached
    )


def _read(own: QuerySet[LogChunk], places: Sequence[tuple[int, date]]) -> Iterator[LogChunk]:
    """Yield chunks in this order, some at a time: few queries, and not all bodies at once."""
    whole = own.select_related("stream__session").defer("state_before", "stream__reader_state")
    for start in range(0, len(places), AT_ONCE):
        part = places[start : start + AT_ONCE]
        days = {day for _, day in part}
        rows = whole.filter(pk__in=[pk for pk, _ in part], arrived_on__in=days)
        by_id = {row.pk: row for row in rows}
        yield from (by_id[pk] for pk, _ in part if pk in by_id)


def _newest_first(chunk: LogChunk, stream: LogStream, needle: str) -> Iterator[FoundLine]:
    held = [line for line in lines_of(chunk=chunk, stream=stream) if needle in line.text.lower()]
    return (_found(line, stream, needle) for line in reversed(held))


def _found(line: RawLine, stream: LogStream, needle: str) -> FoundLine:
    start = max(0, line.text.lower().find(needle) - LONGEST // 2)
    return FoundLine(
        reference=f"stream:{stream.pk}/{line.number}",
        text=line.text[start : start + LONGEST],
        at=line.at,
        stream=stream.kind,
        host=stream.host,
        session=stream.session.public_id if stream.session else "",
    )
