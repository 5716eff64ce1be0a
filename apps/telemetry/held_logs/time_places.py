"""Where in a held log a time stands: its stored parts lie in the order of their first times."""

from datetime import datetime
from typing import Final

from apps.diagnosis.model import Origin
from apps.telemetry.formats import line_merge
from apps.telemetry.held_logs.line_parts import PartText, parts_from, text_of
from apps.telemetry.held_logs.line_reading import time_of
from apps.telemetry.held_logs.stream_access import access_stream
from apps.telemetry.logs.streams import origin_of
from apps.telemetry.models import LogChunk, LogStream
from apps.tenancy.access import Actor

# Lines in a row without a time of their own: a stack, a table.
LONGEST_RECORD: Final = 200


def place_of_time(*, actor: Actor, key: str, at: datetime) -> int | None:
    """Return the number of the first line at or after a time; None where no line has a time.

    Exact where lines carry stamps. Where programs print them, as exact as they are in order.
    Raises NotFound. Needs the scope of who holds them.
    """
    stream = access_stream(actor=actor, key=key)
    if stream.first_at is None and not stream.is_ordered_by_stamp:
        return None
    own = LogChunk.objects.for_organization(stream.organization_id).filter(stream=stream)
    before = own.filter(first_key__lte=line_merge.nanoseconds(at=at))
    row = before.order_by("-first_key", "-id").values_list("first_number", flat=True).first()
    if row is None:
        return 1
    part = next((each for each in parts_from(stream, row) if each.last >= row), None)
    if part is None:
        return 1
    return part.first + _first_at(stream, text_of(stream, part), at)


def _first_at(stream: LogStream, part: PartText, at: datetime) -> int:
    """Return how many lines of a part stand before a time, by halving it."""
    origin = origin_of(stream=stream, received_at=stream.last_received_at)
    low, high = 0, len(part.starts)
    while low < high:
        middle = (low + high) // 2
        found = _next_time(part, middle, high, origin)
        if found is None or found >= at:
            high = middle
        else:
            low = middle + 1
    return low


def _next_time(part: PartText, first: int, end: int, origin: Origin) -> datetime | None:
    """Return the time of the first line that has one, among the next of a part."""
    for index in range(first, min(end, first + LONGEST_RECORD)):
        at = time_of(part=part, index=index, origin=origin)
        if at is not None:
            return at
    return None
