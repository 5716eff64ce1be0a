"""The timeline as a drawing: entries and a span in, positions of points, ranges and boxes out.

Positions travel as SVG attributes, because the content security policy allows no style attribute.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from operator import attrgetter
from typing import Final
from zoneinfo import ZoneInfo

from apps.web.lanes.arcs import CausalLink, draw_arcs
from apps.web.lanes.bands import BAND_ROW, draw_bands
from apps.web.lanes.bursts import draw_bursts
from apps.web.lanes.density import draw_density
from apps.web.lanes.drawing import Cursor, Drawing
from apps.web.lanes.elements import Entry, Lane, LaneHead
from apps.web.lanes.entry_index import IndexedTimeline, timeline_of
from apps.web.lanes.outside import at_the_edge
from apps.web.lanes.pins import PIN_ROW, Pin, draw_pins
from apps.web.lanes.rows import LANE_PADDING, draw_lane
from apps.web.lanes.scale import HEAD_HEIGHT, LEFT, RIGHT, WIDTH, Span, clock_text, days_text, ticks

TAG_WIDTH = 84
OWN_LANE: Final[Callable[[Entry], str]] = attrgetter("lane")


def draw(  # noqa: PLR0913  everything that is drawn
    *,
    entries: Sequence[Entry] | IndexedTimeline,
    heads: Sequence[LaneHead],
    span: Span,
    pins: Sequence[Pin] = (),
    links: Sequence[CausalLink] = (),
    failed_at: datetime | None = None,
    zone: ZoneInfo | None = None,
    lane_of: Callable[[Entry], str] = OWN_LANE,
) -> Drawing:
    """Return the lanes of these entries over this span; entries are in the order of the story.

    `lane_of` says by the key of its head in which lane an entry is drawn.
    """
    timeline = timeline_of(entries)
    begin, end = span.starts_at, span.ends_at
    shown = [pair for part in timeline.parts for pair in part.within(begin, end)]
    # What others hold has no time here: its stub stands at the edge, in every window.
    shown += [(end, entry) for part in timeline.parts for entry in part.hidden]
    edge = [entry for part in timeline.parts for entry in part.at_edge]
    shown += at_the_edge(entries=edge, span=span, failed_at=failed_at)
    outside = [part.outside(begin, end) for part in timeline.parts]
    bands = draw_bands(entries=[entry for _, entry in shown if entry.is_band], span=span)
    head_height = HEAD_HEIGHT + (BAND_ROW if bands else 0)
    cursor = draw_cursor(failed_at=failed_at, span=span, zone=zone)
    lanes: list[Lane] = []
    y = float(head_height)
    members: dict[str, list[tuple[datetime, Entry]]] = defaultdict(list)
    for at, entry in shown:
        if not entry.is_band:
            members[lane_of(entry)].append((at, entry))
    for index, head in enumerate(heads):
        lane = draw_lane(
            head=head, members=members[head.key], span=span, y=y, is_shaded=index % 2 == 1
        )
        lane = _with_pins(lane, [pin for pin in pins if pin.lane == head.key], span)
        lanes.append(lane)
        y += lane.height
    return Drawing(
        width=WIDTH,
        height=y,
        lanes=tuple(lanes),
        ticks=ticks(span=span, zone=zone, free_of=cursor.tag_x + TAG_WIDTH / 2 if cursor else None),
        bands=bands,
        cursor=cursor,
        density=draw_density(timeline=timeline, span=span),
        local_name=span.starts_at.astimezone(zone).strftime("%Z") if zone else "",
        days=days_text(span),
        before_count=sum(before for before, _ in outside),
        after_count=sum(after for _, after in outside),
        span=span,
        arcs=draw_arcs(lanes=lanes, links=links),
        bursts=draw_bursts(lanes=lanes, span=span, height=y),
        head_height=head_height,
    )


def _with_pins(lane: Lane, pins: Sequence[Pin], span: Span) -> Lane:
    row = draw_pins(pins=pins, span=span, y=lane.y + lane.height - LANE_PADDING)
    if not row.pins:
        return lane
    return replace(lane, height=lane.height + PIN_ROW, annotations=row)


def draw_cursor(*, failed_at: datetime | None, span: Span, zone: ZoneInfo | None) -> Cursor | None:
    """Return the line at the moment it broke, when the span holds it."""
    if failed_at is None or not span.holds(starts_at=failed_at, ends_at=None):
        return None
    x = span.x(failed_at)
    return Cursor(
        x=x,
        utc=clock_text(failed_at, seconds=True),
        local=failed_at.astimezone(zone).strftime("%H:%M:%S %Z") if zone else "",
        tag_x=min(max(x - 42, LEFT), RIGHT - 84),
    )
