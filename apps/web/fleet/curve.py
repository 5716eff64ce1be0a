"""The curve over the scrubber: how unlike its peers the worst part was, minute by minute."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Final

from django.utils.translation import gettext as _

from apps.diagnosis.model import Signal
from apps.reliability.facade.fleet_curve import FleetCurve
from apps.reliability.fleet_grid.worst_curve import WorstPart
from apps.web import words
from apps.web.display.instants import dated
from apps.web.fleet.compose import query_of
from apps.web.fleet.page import FleetAsked
from apps.web.lanes.scale import Span, clock_text

WIDTH: Final = 1000
HEIGHT: Final = 40
TOP: Final = 6  # what an Xid marks stands above
# What is further is drawn at the upper edge: else nobody sees the rest.
HIGHEST: Final = 12.0
LEAST_HIGH: Final = 6.0  # as far as the colours of the grid reach
TIMES: Final = 5
LEAST_WIDTH: Final = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveMark:
    """An Xid on the curve."""

    x: float
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveView:
    """What is drawn over the scrubber, and the same in words."""

    hint: str
    lines: tuple[str, ...]
    areas: tuple[str, ...]
    gaps: tuple[tuple[float, float], ...]  # x and width: nothing was told
    marks: tuple[CurveMark, ...]
    times: tuple[str, ...]  # evenly apart, the first and the last at the edges
    worst_text: str  # empty: nothing to tell
    worst_query: str
    scale: str  # what the lower and the upper edge stand for; empty: nothing is drawn
    measured: str  # by whom, and how densely; empty: nothing is told


def curve_view(curve: FleetCurve, *, asked: FleetAsked) -> CurveView:
    """Return the curve as a drawing and as words."""
    span = Span(starts_at=curve.since, ends_at=curve.until, left=0, right=WIDTH)
    high = _high(curve.points)
    stretches = [
        list(some)
        for has_value, some in groupby(curve.points, key=lambda each: each.distance is not None)
        if has_value
    ]
    lines = [_line(some, span, high) for some in stretches]
    worst = curve.worst
    return CurveView(
        hint=_hint(curve),
        lines=tuple(lines),
        areas=tuple(_area(line) for line in lines),
        gaps=tuple(_gaps(curve, span)),
        marks=tuple(_marks(curve, span)),
        times=tuple(_times(curve)),
        worst_text=_worst_text(worst, curve.signal) if worst else "",
        worst_query=query_of(replace(asked, at=f"{worst.at:%Y-%m-%dT%H:%M:%SZ}")) if worst else "",
        scale=_scale(high) if worst else "",
        measured=_measured(curve) if worst else "",
    )


def _high(points: Sequence[WorstPart]) -> float:
    most = max((each.distance for each in points if each.distance is not None), default=0.0)
    return min(max(most, LEAST_HIGH), HIGHEST)


def _line(some: Sequence[WorstPart], span: Span, high: float) -> str:
    told = [(span.x(each.at), _y(each.distance or 0.0, high)) for each in some]
    if len(told) == 1:  # a single point would not be seen
        x, y = told[0]
        told = [(max(0.0, x - LEAST_WIDTH), y), (x, y)]
    return " ".join(f"{x:g},{y:g}" for x, y in told)


def _area(line: str) -> str:
    """Return the line with the ground below it."""
    points = line.split()
    first, last = (points[place].partition(",")[0] for place in (0, -1))
    return f"{first},{HEIGHT} {line} {last},{HEIGHT}"


def _y(distance: float, high: float) -> float:
    share = min(max(distance, 0.0), high) / high
    return round(HEIGHT - share * (HEIGHT - TOP), 1)


def _gaps(curve: FleetCurve, span: Span) -> Iterator[tuple[float, float]]:
    for has_value, some in groupby(curve.points, key=lambda each: each.distance is not None):
        if has_value:
            continue
        points = list(some)
        first, last = span.x(points[0].at - curve.step), span.x(points[-1].at)
        yield first, max(round(last - first, 1), LEAST_WIDTH)


def _marks(curve: FleetCurve, span: Span) -> Iterator[CurveMark]:
    """Yield a mark a place: what was printed side by side is told by one."""
    placed = sorted(curve.xids, key=lambda each: each.at)
    for x, some in groupby(placed, key=lambda each: round(span.x(each.at) / 2) * 2.0):
        told = list(some)
        words_of = dict.fromkeys(f"Xid {each.code} {each.host}" for each in told)
        yield CurveMark(x=x, hint=f"{clock_text(told[0].at)}: {', '.join(list(words_of)[:6])}")


def _times(curve: FleetCurve) -> Iterator[str]:
    length = curve.until - curve.since
    form = dated if length > timedelta(hours=24) else clock_text
    for number in range(TIMES):
        yield form((curve.since + length * number / (TIMES - 1)).astimezone(UTC))


def _hint(curve: FleetCurve) -> str:
    worst = curve.worst
    if worst is None:
        return _("No part's distance from its peers is known in this time")
    told = _("Furthest from its peers over time, %(scale)s: most at %(worst)s")
    return told % {"scale": _scale(_high(curve.points)), "worst": _worst_text(worst, curve.signal)}


def _scale(high: float) -> str:
    return _("drawn from 0 to %(high)s robust standard deviations") % {"high": f"{high:.1f}"}


def _worst_text(worst: WorstPart, signal: Signal) -> str:
    where = worst.host
    if worst.part:
        part = f"GPU {worst.part}" if signal.entity == "gpu" else worst.part
        where = _("%(part)s on %(host)s") % {"part": part, "host": worst.host}
    told = _("%(when)s, %(where)s: %(distance)s deviations from its peers")
    distance = f"{worst.distance:.1f}"
    return told % {"when": _moment(worst.at), "where": where, "distance": distance}


def _moment(at: datetime) -> str:
    return dated(at.astimezone(UTC))


def _measured(curve: FleetCurve) -> str:
    each = words.duration(curve.step.total_seconds())
    if curve.shown_by:
        names = ", ".join(holder.name for holder in curve.shown_by)
        told = _("of what %(names)s measured and shows you, every %(step)s")
        return told % {"step": each, "names": names}
    return _("of what your sources measured, every %(step)s") % {"step": each}
