"""The entries of one lane, on as few rows as their labels need."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from apps.web.lanes.crowd import folded
from apps.web.lanes.elements import Entry, Item, Lane, LaneHead
from apps.web.lanes.lettering import LINE_HEIGHT
from apps.web.lanes.scale import Span
from apps.web.lanes.shape import extent, is_tall, least_extent, settle, shape
from apps.web.lanes.urgency import CALM, Member, most_urgent

ROW_HEIGHT = 26
TALL_HEIGHT = 42
LANE_PADDING = 6
MAX_ROWS = 5
MOST_LABELS = 40  # entries of a lane that are tried with words, the most urgent first
CROWD_HEIGHT = 20
CALM_ROWS = 3  # background gets a label only where the story leaves room
GAP = 10


def draw_lane(
    *,
    head: LaneHead,
    members: Sequence[Member],
    span: Span,
    y: float,
    is_shaded: bool,
) -> Lane:
    """Place the members of one lane on as few rows as their labels need."""
    rows: list[list[tuple[float, float]]] = []
    heights: list[float] = []
    chosen: list[tuple[int, Item]] = []
    first, crowd = most_urgent(members, MOST_LABELS)
    # What finds no room for its words goes on a row of its own.
    without_room: list[Member] = []
    for at, entry in first:
        found = _with_room(at=at, entry=entry, span=span, rows=rows)
        if found is None:
            without_room.append((at, entry))
            continue
        row, item = found
        if row == len(rows):
            rows.append([])
            heights.append(ROW_HEIGHT)
        rows[row].append(extent(item))
        heights[row] = max(heights[row], TALL_HEIGHT if is_tall(item) else ROW_HEIGHT)
        chosen.append((row, item))
    tops = [y + LANE_PADDING + sum(heights[:row]) for row in range(len(rows))]
    items = [settle(item=item, top=tops[row], height=heights[row]) for row, item in chosen]
    filled = sum(heights)
    if crowd or without_room:
        top = y + LANE_PADDING + filled
        marks = folded(members=crowd, tried=without_room, span=span)
        items += [settle(item=item, top=top, height=CROWD_HEIGHT) for item in marks]
        filled += CROWD_HEIGHT
    lane = Lane(head=head, y=y, height=0, items=tuple(items), is_shaded=is_shaded)
    told = 12 + LINE_HEIGHT * (len(lane.title_lines) + len(lane.note_lines))
    return replace(lane, height=max(filled + 2 * LANE_PADDING, told, 32))


def _with_room(
    *, at: datetime, entry: Entry, span: Span, rows: Sequence[Sequence[tuple[float, float]]]
) -> tuple[int, Item] | None:
    """Return the entry with its words and the row that has room for them, if any has."""
    limit = CALM_ROWS if entry.role in CALM else MAX_ROWS
    least = least_extent(at=at, entry=entry, span=span)
    # In a full lane most find no room for their mark: their words needn't be measured.
    if least and free_row(rows=rows, extent=least, limit=limit) is None:
        return None
    item = shape(at=at, entry=entry, span=span)
    row = free_row(rows=rows, extent=extent(item), limit=limit)
    return None if row is None else (row, item)


def free_row(
    *, rows: Sequence[Sequence[tuple[float, float]]], extent: tuple[float, float], limit: int
) -> int | None:
    """Return the first row with room, a new one where allowed, or nothing when the lane is full."""
    for index, taken in enumerate(rows):
        if all(extent[1] + GAP < left or extent[0] > right + GAP for left, right in taken):
            return index
    return len(rows) if len(rows) < limit else None
