"""The stored chunks of a stream: their lines, and where among them reading may begin again."""

from collections.abc import Iterable, Iterator, Sequence

from django.db.models import QuerySet

from apps.telemetry.formats import line_merge
from apps.telemetry.formats.line_merge import Lines
from apps.telemetry.formats.pack import unpacked_chunk
from apps.telemetry.models import LogChunk, LogStream

BEHIND_STORED = 2**62  # where a chunk without an id stands among those of its key


def mark(*, group: Sequence[LogChunk], state: bytes, number: int) -> None:
    """Note the state in front of a group that overlaps: only there can reading begin again."""
    for position, chunk in enumerate(group):
        chunk.state_before = state if position == 0 else None
        chunk.first_number = number


def grouped(chunks: Sequence[LogChunk], *, is_merged: bool) -> Iterator[list[LogChunk]]:
    """Yield chunks that overlap together; without stamps each stands alone."""
    group: list[LogChunk] = []
    for chunk in chunks:
        if group and (not is_merged or chunk.first_key > max(c.last_key for c in group)):
            yield group
            group = []
        group.append(chunk)
    if group:
        yield group


def safe_start(groups: Sequence[Sequence[LogChunk]], key: int) -> int:
    """Return the last group in front of which reading may begin and nothing new stands."""
    reached = next(
        (i for i, group in enumerate(groups) if max(c.last_key for c in group) >= key), 0
    )
    while reached and groups[reached][0].state_before is None:
        reached -= 1
    return reached


def joined(group: Sequence[LogChunk], *, is_stamped: bool) -> Lines:
    """Return the lines of chunks that overlap, as one part."""
    parts = list(lines_of(group))
    return line_merge.in_order(parts=parts) if is_stamped and len(parts) > 1 else parts[0]


def lines_of(chunks: Iterable[LogChunk]) -> Iterator[Lines]:
    """Yield the lines of each chunk."""
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


def chunks_of(stream: LogStream) -> QuerySet[LogChunk]:
    """Return the chunks of a stream in its order."""
    own = LogChunk.objects.for_organization(stream.organization_id).filter(stream=stream)
    return own.select_related("stream").order_by("first_key", "id")
