"""Glyph, bar or box of one entry, and where its label goes."""

from dataclasses import replace
from datetime import datetime

from django.utils.translation import gettext as _

from apps.web.lanes.elements import Entry, Item
from apps.web.lanes.lettering import BOLD_CHARACTER, CHARACTER, cut, letters, without_folders
from apps.web.lanes.scale import LEFT, RIGHT, Span, clock_text
from apps.web.lanes.urgency import CALM, TREATMENTS

GLYPH_REACH = 11
INSET = 8
SHORTEST_RANGE = 10
ABOVE, BELOW = 14, 12  # of a tall row: baseline of words over a mark, and the mark from its end


def mark(*, x: float, entry: Entry, label: str, hint: str, folded_count: int = 0) -> Item:
    """Return one entry as a mark that takes little room, with words for what it stands for."""
    return Item(
        entry=entry,
        treatment=TREATMENTS.get(entry.role, "context"),
        x=x,
        y=0,
        label=label,
        is_untimed=entry.at is None,
        folded_count=folded_count,
        hint=hint,
    )


def shape(*, at: datetime, entry: Entry, span: Span) -> Item:
    """Choose glyph, bar or box of one entry and where its label goes."""
    x = span.x(at)
    x_end = span.x(entry.ends_at) if entry.ends_at else None
    if x_end is not None and x_end - x < SHORTEST_RANGE:
        x_end = None
    left, right = whisker(at=at, entry=entry, span=span)
    item = Item(
        entry=_with_room_for_detail(entry),
        treatment="context" if entry.is_hidden else TREATMENTS.get(entry.role, "context"),
        x=x,
        y=0,
        x_end=x_end,
        whisker_left=left,
        whisker_right=right,
        is_ringed=entry.role == "initiating",
        is_untimed=entry.at is None,
        hint=hint(entry),
    )
    return boxed(item) if is_boxed(entry) else labelled(item)


def _with_room_for_detail(entry: Entry) -> Entry:
    # Its hint and the list have room for whole paths.
    detail = without_folders(entry.detail)
    return entry if detail == entry.detail else replace(entry, detail=detail)


def is_boxed(entry: Entry) -> bool:
    """Say whether an entry is drawn as a box: many ranks folded, or what another party holds."""
    return (entry.count > 1 and entry.role not in CALM) or entry.is_hidden


def least_extent(*, at: datetime, entry: Entry, span: Span) -> tuple[float, float] | None:
    """Return what an entry takes of its row however short its words are; None for a box."""
    if is_boxed(entry):
        return None
    x = span.x(at)
    return (x - GLYPH_REACH, x + GLYPH_REACH)


def whisker(*, at: datetime, entry: Entry, span: Span) -> tuple[float | None, float]:
    """Return both ends of the clock error, or nothing where it is too small to see."""
    if entry.clock_error is None or entry.at is None:
        return None, 0
    left, right = span.x(at - entry.clock_error), span.x(at + entry.clock_error)
    return (left, right) if right - left > 2 * GLYPH_REACH else (None, 0)


def hint(entry: Entry) -> str:
    """Return the sentence shown when a pointer rests on the entry."""
    if entry.at is None:
        when = _("printed without a time, drawn after its neighbour")
    else:
        when = f"{clock_text(entry.at, seconds=True)} UTC"
    if entry.clock_error:
        when += f" ±{entry.clock_error.total_seconds():.1f} s"
    return " · ".join(part for part in (entry.title, entry.detail, when, entry.owner) if part)


def boxed(item: Item) -> Item:
    """Return the item as a box of two lines: many ranks folded, or what another party holds."""
    entry = item.entry
    width = max(letters(entry.title) * BOLD_CHARACTER, letters(entry.detail) * CHARACTER) + 40
    width = min(width, (RIGHT - LEFT) * 0.6)
    box_x = min(max(item.x - 8, LEFT + 2), RIGHT - width)
    fitting = int((width - 36) / BOLD_CHARACTER)
    return replace(
        item,
        label=cut(entry.title, fitting),
        x_end=None,
        box_x=box_x,
        box_width=width,
        detail_y=1,
    )


def labelled(item: Item) -> Item:
    """Return the item with its label on the side that has room, cut where neither has."""
    if has_inner_label(item):
        return replace(
            item,
            label=item.entry.title,
            label_x=item.x + INSET,
            label_width=letters(item.entry.title) * CHARACTER,
            has_inner_label=True,
        )
    character = BOLD_CHARACTER if item.is_ringed else CHARACTER
    detail = item.entry.detail if item.is_ringed else ""
    wanted = max(letters(item.entry.title) * character, letters(detail) * CHARACTER)
    right_edge = max(item.x_end or item.x, item.whisker_right) + GLYPH_REACH
    left_edge = min(item.x, item.whisker_left or item.x) - GLYPH_REACH
    room_right, room_left = RIGHT - right_edge, left_edge - LEFT
    to_right = wanted <= room_right or room_right >= room_left
    width = room_right if to_right else room_left
    if wanted > width and item.whisker_left is not None:
        return _labelled_above(item, character)
    room = int(width / character)
    return replace(
        item,
        label=cut(item.entry.title, room),
        label_x=right_edge + 2 if to_right else left_edge - 2,
        anchor="start" if to_right else "end",
        detail_y=1 if detail else 0,
    )


def _labelled_above(item: Item, character: float) -> Item:
    """Return the item with its words over its clock error, which leaves no room beside it."""
    label = cut(item.entry.title, int((RIGHT - LEFT - 8) / character))
    width = letters(label) * character
    label_x = min(max(item.x - width / 2, LEFT + 4), RIGHT - width - 4)
    return replace(item, label=label, label_x=round(label_x, 1), is_label_above=True)


def has_inner_label(item: Item) -> bool:
    """Say whether the bar of a range is wide enough to hold its label."""
    wanted = letters(item.entry.title) * CHARACTER + 2 * INSET
    return not item.is_ringed and item.x_end is not None and item.x_end - item.x >= wanted


def extent(item: Item) -> tuple[float, float]:
    """Return what an item takes of its row."""
    if item.box_x is not None:
        return (item.box_x, item.box_x + item.box_width)
    left = min(item.x, item.whisker_left or item.x) - GLYPH_REACH
    right = max(item.x_end or item.x, item.whisker_right) + GLYPH_REACH
    character = BOLD_CHARACTER if item.is_ringed else CHARACTER
    detail = letters(item.entry.detail) if item.detail_y else 0
    width = max(letters(item.label) * character, detail * CHARACTER)
    if not item.label or item.has_inner_label:
        return (left, right)
    if item.is_label_above:
        return (min(left, item.label_x), max(right, item.label_x + width))
    return (left, item.label_x + width) if item.anchor == "start" else (item.label_x - width, right)


def is_tall(item: Item) -> bool:
    """Say whether an item has a second line, or stands below its own words."""
    return bool(item.detail_y) or item.is_label_above


def settle(*, item: Item, top: float, height: float) -> Item:
    """Give a placed item its vertical positions."""
    middle = top + height / 2
    if item.is_label_above:
        y = top + height - BELOW
        return replace(item, y=y, glyph_x=item.x - 6, glyph_y=y - 6, label_y=top + ABOVE)
    tall = is_tall(item)
    box_top = top + 3
    return replace(
        item,
        y=middle,
        glyph_x=(item.box_x + 14 if item.box_x is not None else item.x) - 6,
        glyph_y=(box_top + 12 if item.box_x is not None else middle) - 6,
        box_y=box_top,
        box_height=height - 6,
        label_x=item.box_x + 26 if item.box_x is not None else item.label_x,
        label_y=middle - 3 if tall else middle + 4,
        detail_y=middle + 11 if tall else 0,
    )
