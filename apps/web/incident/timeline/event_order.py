"""What came first: entries around the stop, ordered only beyond their joint clock error.

Lines of one log of one host are stamped by one clock: its error moves all of them alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from apps.web.lanes.elements import Entry
from apps.web.lanes.entry_index import IndexedTimeline, timeline_of
from apps.web.lanes.scale import LEFT, RIGHT, AxisTick, Span, clock_text, ticks
from apps.web.lanes.urgency import TREATMENTS

ROW_HEIGHT = 24
HEAD_HEIGHT = 28
MOST_ROWS = 6
AROUND = timedelta(seconds=90)
MARGIN = 0.12
SHORTEST = timedelta(seconds=4)
LABEL_SHARE = 0.7  # the texts stand to the right of their bars


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """One entry with its clock error as a bar."""

    entry: Entry
    x: float
    left: float
    right: float
    y: float
    label: str
    label_x: float

    @property
    def lane(self) -> str:
        """Return whose voice it is, as the lanes call it."""
        return self.entry.lane_title

    @property
    def treatment(self) -> str:
        """Return how the mark is drawn."""
        return TREATMENTS.get(self.entry.role, "context")

    @property
    def bar_y(self) -> float:
        """Return the upper edge of the error bar."""
        return self.y - 3

    @property
    def width(self) -> float:
        """Return the length of the error bar."""
        return round(self.right - self.left, 1)

    @property
    def text_y(self) -> float:
        """Return the baseline of the texts of the row."""
        return self.y + 4

    @property
    def glyph_y(self) -> float:
        """Return the upper edge of the mark."""
        return self.y - 6

    @property
    def glyph_x(self) -> float:
        """Return the left edge of the mark."""
        return self.x - 6


@dataclass(frozen=True, slots=True, kw_only=True)
class EventOrder:
    """The finished drawing."""

    rows: tuple[EventRow, ...]
    ticks: tuple[AxisTick, ...]
    height: float
    seconds: int
    sentence: str
    first: str
    last: str
    left: int = LEFT
    right: int = RIGHT


def draw_order(
    *,
    entries: Sequence[Entry] | IndexedTimeline,
    failed_at: datetime | None,
    is_partial: bool = False,
) -> EventOrder | None:
    """Return the entries nearest to the stop, or nothing when fewer than two can be compared.

    `is_partial`: others hold evidence that the reader does not see.
    """
    if failed_at is None:
        return None
    around = [
        entry
        for part in timeline_of(entries).parts
        for _at, entry in part.within(failed_at - AROUND, failed_at + 2 * AROUND)
    ]
    near = sorted(
        (abs(entry.at - failed_at), entry.key, entry)
        for entry in around
        if entry.at
        and not entry.is_bare  # in which second of its minute it was is not shown
        and entry.role in {"initiating", "confirmation", "cascade"}
        and not entry.is_band
        and abs(entry.at - failed_at) <= AROUND
    )[:MOST_ROWS]
    chosen = sorted(
        (entry for _, _, entry in near),
        key=lambda entry: (entry.at or failed_at, entry.clock, entry.line, entry.key),
    )
    if len(chosen) < 2:
        return None
    span = stretch(chosen=chosen, failed_at=failed_at)
    rows = tuple(place(entry=entry, span=span, index=index) for index, entry in enumerate(chosen))
    return EventOrder(
        rows=rows,
        ticks=ticks(span=span, zone=None),
        height=HEAD_HEIGHT + ROW_HEIGHT * len(rows) + 8,
        seconds=round((span.ends_at - span.starts_at).total_seconds()),
        sentence=judge(chosen, is_partial=is_partial or any(each.is_bare for each in around)),
        first=clock_text(span.starts_at, seconds=True),
        last=clock_text(span.ends_at, seconds=True),
    )


def stretch(*, chosen: Sequence[Entry], failed_at: datetime) -> Span:
    """Return the span that holds all rows with their errors and a margin."""
    errors = [(entry.at or failed_at, entry.clock_error or timedelta(0)) for entry in chosen]
    first = min(at - error for at, error in errors)
    last = max(at + error for at, error in errors)
    length = max(last - first, SHORTEST)
    return Span(starts_at=first - length * MARGIN, ends_at=last + length * LABEL_SHARE)


def place(*, entry: Entry, span: Span, index: int) -> EventRow:
    """Return one row; its label stands to the right."""
    at = entry.at or span.starts_at
    error = entry.clock_error or timedelta(0)
    left, right = span.x(at - error), span.x(at + error)
    return EventRow(
        entry=entry,
        x=span.x(at),
        left=left,
        right=right,
        y=HEAD_HEIGHT + ROW_HEIGHT * index + ROW_HEIGHT / 2,
        label=entry.title if len(entry.title) < 52 else f"{entry.title[:50].rstrip()}…",
        label_x=max(right, span.x(at) + 8) + 8,
    )


def judge(chosen: Sequence[Entry], *, is_partial: bool = False) -> str:
    """Say in one sentence what surely came first, or that the clocks cannot tell.

    `is_partial`: others hold evidence that the reader does not see.
    """
    first, second = chosen[0], chosen[1]
    rivals = [one for one in chosen[1:] if not is_surely_later(one, first)]
    if not rivals:
        return _sure(first, second, is_partial=is_partial)
    unknown = next((one for one in (first, *rivals) if one.clock_error is None), None)
    if unknown is not None:
        return _inexact(unknown)
    rival = rivals[0]
    told = {
        "first": first.title,
        "second": rival.title,
        "apart": _apart(rival, first).total_seconds(),
        "error": _joint_error(rival, first).total_seconds(),
    }
    if rival is not second:
        unsure = _(
            "“%(first)s” and “%(second)s” are %(apart).1f s apart, their clocks may be %(error).1f "
            "s wrong together: the order stays open."
        )
        return unsure % told
    unsure = _(
        "The first two are %(apart).1f s apart, their clocks may be %(error).1f s wrong "
        "together: the order stays open."
    )
    return unsure % told


def _inexact(entry: Entry) -> str:
    told = {"title": entry.title, "names": entry.error_holders}
    if entry.error_holders:
        hidden = _(
            "The order stays open: how exact the time of “%(title)s” is, only %(names)s can see."
        )
        return hidden % told
    return _("Nobody knows how exact the time of “%(title)s” is: the order stays open.") % told


def _sure(first: Entry, second: Entry, *, is_partial: bool) -> str:
    told = {
        "title": first.title,
        "apart": _apart(second, first).total_seconds(),
        "error": _joint_error(second, first).total_seconds(),
    }
    if is_partial:
        seen = _(
            "Of what you see, “%(title)s” surely came first, %(apart).1f s before the next; what "
            "others hold may be earlier."
        )
        return seen % told
    if _is_one_clock(first, second):
        same = _(
            "%(title)s surely came first: %(apart).1f s before the next, in the same log of the "
            "same host."
        )
        return same % told
    sure = _(
        "%(title)s surely came first: %(apart).1f s before the next, "
        "joint clock error %(error).1f s."
    )
    return sure % told


def is_surely_later(one: Entry, first: Entry) -> bool:
    """Say whether one came later than another by more than their clocks may be wrong together."""
    if _is_one_clock(one, first):
        return (_apart(one, first), one.line) > (timedelta(0), first.line)
    if one.clock_error is None or first.clock_error is None:
        return False
    return _apart(one, first) > _joint_error(one, first)


def _is_one_clock(one: Entry, other: Entry) -> bool:
    return bool(one.clock) and one.clock == other.clock


def _apart(one: Entry, first: Entry) -> timedelta:
    return one.at - first.at if one.at and first.at else timedelta(0)


def _joint_error(one: Entry, first: Entry) -> timedelta:
    return (one.clock_error or timedelta(0)) + (first.clock_error or timedelta(0))
