"""The story of an incident as one drawing: lanes, points, ranges, and how far clocks may be off.

Each mark has the number of its row in the table below, so that paper can be read, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from apps.incidents.exports.export_format import Json
from apps.incidents.exports.plain_words import lane_text
from apps.incidents.exports.printing.time_axis import TimeAxis, TimeTick
from apps.incidents.exports.sheet.colours import colour_of
from apps.incidents.exports.sheet.instants import read_instant

WIDTH: Final = 1000
LEFT: Final = 110
RIGHT: Final = 985
HEAD: Final = 26
ROW: Final = 36
CLOSE: Final = 17  # nearer marks have no number each
WHOLE: Final = timedelta(hours=2)  # a longer story is drawn around the instant when it broke
AROUND: Final = timedelta(minutes=30)
LEAST: Final = timedelta(seconds=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineMark:
    """One moment. It is hollow where nobody told its time: it stands at its neighbour's."""

    x: float
    y: float
    width: float  # of a range; 0: a point
    colour: str
    is_initiating: bool
    is_untimed: bool
    number: str  # empty: no room for it
    error: tuple[float, float] | None  # from where to where the clock may be off
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneRow:
    """A lane with its marks."""

    name: str
    y: float
    is_shaded: bool
    marks: tuple[TimelineMark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineDrawing:
    """The finished drawing."""

    height: float
    lanes: tuple[LaneRow, ...]
    ticks: tuple[TimeTick, ...]
    broke_x: float | None
    days: str
    before_count: int
    after_count: int
    width: int = WIDTH
    left: int = LEFT
    right: int = RIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moment:
    number: int
    at: datetime
    ends_at: datetime | None
    told: Json


def draw_timeline(*, moments: Sequence[Json], broke_at: datetime | None) -> TimelineDrawing | None:
    """Return the drawing of moments in the order of the story; None where none has a time."""
    placed = _placed(moments)
    if not placed:
        return None
    axis = _axis(placed, broke_at)
    shown = [
        each
        for each in placed
        if (each.ends_at or each.at) >= axis.starts_at and each.at <= axis.ends_at
    ]
    names = list(dict.fromkeys(str(each.told["lane"] or "application") for each in shown))
    lanes = tuple(_lane(name, place, shown, axis) for place, name in enumerate(names))
    is_inside = broke_at is not None and axis.starts_at <= broke_at <= axis.ends_at
    return TimelineDrawing(
        height=HEAD + ROW * len(lanes) + 8,
        lanes=lanes,
        ticks=axis.ticks(),
        broke_x=axis.x(broke_at) if broke_at is not None and is_inside else None,
        days=_days(axis),
        before_count=sum((each.ends_at or each.at) < axis.starts_at for each in placed),
        after_count=sum(each.at > axis.ends_at for each in placed),
    )


def _placed(moments: Sequence[Json]) -> list[_Moment]:
    """Give a moment without a time that of the one before it, else of the first that has one."""
    times = [read_instant(each["at"]) for each in moments]
    known = next((each for each in times if each is not None), None)
    placed = []
    for number, (told, at) in enumerate(zip(moments, times, strict=True), 1):
        known = at or known
        if known is not None:
            ends_at = read_instant(told["ends_at"])
            placed.append(_Moment(number=number, at=known, ends_at=ends_at, told=told))
    return placed


def _axis(placed: Sequence[_Moment], broke_at: datetime | None) -> TimeAxis:
    first = min(each.at for each in placed)
    last = max(each.ends_at or each.at for each in placed)
    if broke_at is not None and last - first > WHOLE:
        first, last = max(first, broke_at - AROUND), min(last, broke_at + AROUND)
    if last - first < LEAST:  # also of a story that lies wholly outside of it
        first, last = min(first, last) - LEAST, max(first, last) + LEAST
    margin = (last - first) * 0.02
    return TimeAxis(starts_at=first - margin, ends_at=last + margin, left=LEFT, right=RIGHT)


def _lane(name: str, place: int, shown: Sequence[_Moment], axis: TimeAxis) -> LaneRow:
    y = HEAD + ROW * place
    marks: list[TimelineMark] = []
    free_from = 0.0
    for each in sorted(shown, key=lambda one: (one.at, one.number)):
        if str(each.told["lane"] or "application") != name:
            continue
        mark = _mark(each, y + 22, axis, has_room=axis.x(each.at) >= free_from)
        if mark.number:
            free_from = mark.x + CLOSE
        marks.append(mark)
    return LaneRow(name=lane_text(name), y=y, is_shaded=place % 2 == 1, marks=tuple(marks))


def _mark(moment: _Moment, y: float, axis: TimeAxis, *, has_room: bool) -> TimelineMark:
    told, x = moment.told, axis.x(moment.at)
    error = told["clock_error_seconds"]
    off = timedelta(seconds=float(error)) if error else None
    end = axis.x(moment.ends_at) if moment.ends_at else x
    return TimelineMark(
        x=x,
        y=y,
        width=max(0.0, round(end - x, 1)),
        colour=colour_of(str(told["lane"])),
        is_initiating=told["role"] == "initiating",
        is_untimed=told["at"] is None,
        number=str(moment.number) if has_room else "",
        error=(axis.x(moment.at - off), axis.x(moment.at + off)) if off else None,
        text=f"{moment.number}. {told['title']}",
    )


def _days(axis: TimeAxis) -> str:
    first, last = axis.starts_at, axis.ends_at
    if first.date() == last.date():
        return f"{first:%d %b %Y} UTC"
    return f"{first:%d %b %Y} to {last:%d %b %Y} UTC"
