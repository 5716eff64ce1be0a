"""Drawings of a period: goodput hour by hour, and the time to a failure over the size of a job."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from apps.reliability.period.values import HourShare, TimeDivision, TimeToFailure
from apps.training.economics.expectations import MEASURED_ELSEWHERE_HOURS

WIDTH: Final = 1344
HEIGHT: Final = 180
LEFT: Final = 48
TEXT_HEIGHT: Final = 13
MOST_POINTS: Final = 700
MOST_TICKS: Final = 7
SIZES: Final = (8, 64, 512, 4096, 32768)
DECADES: Final = (0.1, 1.0, 10.0, 100.0, 1000.0)
MTTF_WIDTH: Final = 640


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphTick:
    """A mark on an axis with its text."""

    at: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceLine:
    """A line to compare with; its text stands lower where it would meet that of the line above."""

    at: float
    text_at: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GoodputDrawing:
    """Two paths, lines to compare with, and the days below."""

    cumulative: str
    hourly: str
    references: tuple[ReferenceLine, ...]
    shares: tuple[GraphTick, ...]
    days: tuple[GraphTick, ...]
    note: str
    height: int = HEIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class MttfPoint:
    """A size and its hours, with what is said of them; `low` and `high` bound the whisker."""

    x: float
    y: float
    low: float
    high: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MttfDrawing:
    """The computed curve, what was measured elsewhere, and what was measured here."""

    curve: str
    elsewhere: tuple[MttfPoint, ...]
    own: MttfPoint | None
    sizes: tuple[GraphTick, ...]
    hours: tuple[GraphTick, ...]
    width: int = MTTF_WIDTH
    height: int = HEIGHT


def goodput_drawing(division: TimeDivision) -> GoodputDrawing | None:
    """Return goodput over the hours of a period; None where no hour is known."""
    hours = division.hours
    if not hours:
        return None
    stride = -(-len(hours) // MOST_POINTS)
    kept = hours[::stride]
    step = (WIDTH - LEFT) / max(1, len(kept) - 1)
    places = [LEFT + place * step for place in range(len(kept))]
    every = _("Every %(n)s hours one is drawn; the file has all.") % {"n": stride}
    return GoodputDrawing(
        cumulative=_path(zip(places, (each.cumulative for each in kept), strict=True)),
        hourly=_path(zip(places, (each.hour for each in kept), strict=True)),
        references=tuple(_references(sorted(division.reference_shares.values(), reverse=True))),
        shares=tuple(
            GraphTick(at=_share_y(each), text=f"{each * 100:.0f} %") for each in (0.0, 0.5)
        ),
        days=tuple(_days(kept, places)),
        note=every if stride > 1 else "",
    )


def _references(shares: Sequence[float]) -> Iterator[ReferenceLine]:
    """Yield lines from the highest down, their texts a line apart."""
    free = 0.0
    for share in shares:
        at = _share_y(share)
        yield ReferenceLine(at=at, text_at=max(at, free), text=f"{share * 100:.0f} %")
        free = max(at, free) + TEXT_HEIGHT


def _share_y(share: float) -> float:
    return round(HEIGHT - 24 - share * (HEIGHT - 36), 1)


def _path(points: Iterable[tuple[float, float | None]]) -> str:
    """Return a path through the known points: a gap stays a gap, a single point is a dash."""
    told, is_drawn = [], False
    for x, share in points:
        if share is not None:
            told.append(f"{'L' if is_drawn else 'M'}{x:.1f} {_share_y(share)}h.01")
        is_drawn = share is not None
    return "".join(told)


def _days(kept: Sequence[HourShare], places: Sequence[float]) -> Iterator[GraphTick]:
    """Yield the axis: days; where several ticks fall on one, the later ones as times of it."""
    stride = max(1, len(kept) // MOST_TICKS)
    former = ""
    for each, x in list(zip(kept, places, strict=True))[::stride]:
        day = dateformat.format(each.ends_at, pgettext("date format", "j M"))
        time = f"{each.ends_at:%H:%M}"
        yield GraphTick(at=round(x, 1), text=time if day == former else day)
        former = day


def mttf_drawing(found: TimeToFailure) -> MttfDrawing:
    """Return hours to a failure over GPUs, both on logarithmic scales."""
    points = ((_size_x(each.gpus), _hours_y(each.hours)) for each in found.curve)
    return MttfDrawing(
        curve="M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points),
        elsewhere=tuple(
            MttfPoint(
                x=_size_x(gpus),
                y=_hours_y(hours),
                low=_hours_y(hours),
                high=_hours_y(hours),
                text=_("%(gpus)s GPUs: %(hours)s h measured") % _told(gpus, hours),
            )
            for gpus, hours in sorted(MEASURED_ELSEWHERE_HOURS.items())
        ),
        own=_own(found),
        sizes=tuple(GraphTick(at=_size_x(each), text=f"{each:,}") for each in SIZES),
        hours=tuple(GraphTick(at=_hours_y(each), text=f"{each:g} h") for each in DECADES),
    )


def _told(gpus: int, hours: float) -> dict[str, str]:
    return {"gpus": f"{gpus:,}", "hours": f"{hours:,.1f}"}


def _own(found: TimeToFailure) -> MttfPoint | None:
    figure, gpus = found.infrastructure_hours, found.typical_gpus
    if figure.value is None or not gpus:
        return None
    low, high = figure.interval or (figure.value, figure.value)
    return MttfPoint(
        x=_size_x(gpus),
        y=_hours_y(figure.value),
        low=_hours_y(max(low, DECADES[0])),
        high=_hours_y(high if high is not None else DECADES[-1] * 3),
        text=_("ours: %(gpus)s GPUs, %(hours)s h") % _told(gpus, figure.value),
    )


def _size_x(gpus: int) -> float:
    low, high = math.log(SIZES[0]), math.log(131072)
    share = (math.log(max(1, gpus)) - low) / (high - low)
    return round(LEFT + min(1.0, max(0.0, share)) * (MTTF_WIDTH - LEFT - 16), 1)


def _hours_y(hours: float) -> float:
    low, high = math.log(DECADES[0]), math.log(10_000)
    share = (math.log(max(hours, DECADES[0])) - low) / (high - low)
    return round(HEIGHT - 24 - min(1.0, share) * (HEIGHT - 36), 1)
