"""The geometry of the page's charts: lead times, the range day by day, the threshold curve.

Coordinates are words already, as the templates of the charts print them.
"""

import math
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from apps.diagnosis.detection.backtest.report import (
    Alarm,
    BacktestReport,
    DetectionDelay,
    FailureOutcome,
    Point,
)
from apps.offline.backtest_report.text import span_words

WIDTH = 1040
LEFT, RIGHT = 190, 24
NAMES_END = LEFT - 12
# Lead times reach from seconds to days: drawn by the logarithm of minutes, in both directions.
TICKS = (-10080, -1440, -360, -60, -10, 0, 10, 60)
ROW = 22
BASELINE = 4  # of a text below the middle of what it names
RATES = (0.0, 0.1, 0.5, 1, 5, 20, 100)
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
DOT = {DetectionDelay.BEFORE: "good", DetectionDelay.AT: "at", DetectionDelay.AFTER: "late"}

Drawing = dict[str, object]  # what a template names → words, or more of the same
Words = dict[str, str]


def leads(outcomes: Sequence[FailureOutcome]) -> Drawing:
    """Return one row a failure: when the alarm came, beside the instant of the failure."""
    height = 44 + ROW * len(outcomes)
    zero = _log(0)
    ticks = [
        {"kind": "grid" if each else "zero", "x": _number(_log(each)), "text": _tick(each)}
        for each in TICKS
    ]
    return {
        "width": str(WIDTH),
        "height": str(height),
        "bottom": str(height - 8),
        "names_end": _number(NAMES_END),
        "zero": _number(zero),
        "missed": _number(zero + 10),
        "ticks": ticks,
        "rows": [_lead(each, 36 + ROW * place) for place, each in enumerate(outcomes)],
    }


def _lead(outcome: FailureOutcome, y: int) -> Words:
    row = {"name": outcome.label.title, "y": str(y), "baseline": _number(y + BASELINE)}
    if outcome.lead is None or outcome.when is None or outcome.alarm is None:
        return row
    return row | {
        # To the left of the failure is before it.
        "dot": _number(_log(-outcome.lead.total_seconds() / 60)),
        "kind": DOT[outcome.when],
        "tip": f"{span_words(outcome.lead)} before; {', '.join(outcome.alarm.families)}",
    }


def _log(minutes: float) -> float:
    """Return where a time after (positive) or before (negative) the failure is drawn."""
    most = math.log1p(10080)
    after = math.log1p(60)
    place = math.copysign(math.log1p(abs(minutes)), minutes)
    share = (place + most) / (most + after)
    return LEFT + (WIDTH - LEFT - RIGHT) * min(1.0, max(0.0, share))


def _tick(minutes: int) -> str:
    if minutes == 0:
        return "failure"
    words = span_words(timedelta(minutes=abs(minutes)))
    return f"{words} before" if minutes < 0 else f"+{words}"


def days(report: BacktestReport) -> Drawing:
    """Return the range as one strip: failures above, alarms below, false ones hollow."""
    first, last = report.watched.starts_at, report.watched.ends_at

    def place(at: datetime) -> str:
        share = (at - first) / (last - first) if last > first else 0.0
        return _number(LEFT + (WIDTH - LEFT - RIGHT) * min(1.0, max(0.0, share)))

    false = {id(each) for each in report.false_alarms[0].alarms}
    return {
        "width": str(WIDTH),
        "names_end": _number(NAMES_END),
        "ticks": [{"x": place(at), "text": f"{at:%d %b}"} for at in _midnights(first, last)],
        "failures": [_failure(each, place(each.label.at)) for each in report.outcomes],
        "alarms": [
            _alarm(alarm, place(alarm.raised_at), is_false=id(alarm) in false)
            for alarm in report.alarms
        ],
    }


def _failure(outcome: FailureOutcome, x: str) -> Words:
    tip = f"{outcome.label.title}, {outcome.label.at:%Y-%m-%d %H:%M} UTC"
    return {"x": x, "kind": "found" if outcome.alarm else "lost", "tip": tip}


def _alarm(alarm: Alarm, x: str, *, is_false: bool) -> Words:
    tip = f"{alarm.part}, {alarm.raised_at:%Y-%m-%d %H:%M} UTC: {', '.join(alarm.families)}"
    kind, y = ("false", "78") if is_false else ("true", "54")
    return {"x": x, "y": y, "kind": kind, "tip": tip}


def _midnights(first: datetime, last: datetime) -> Iterator[datetime]:
    days_ = max(1, (last - first).days)
    step = timedelta(days=max(1, math.ceil(days_ / 12)))
    at = first.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    while at < last:
        yield at
        at += step


class _PlotArea:
    """Where a rate of false alarms and a share of failures are drawn."""

    width, height, left, bottom = 640, 300, 56, 40
    right = width - 20

    def __init__(self, most: float) -> None:
        self.most = most

    def x(self, rate: float) -> float:
        return self.left + (self.right - self.left) * (
            math.log1p(rate * 10) / math.log1p(self.most * 10)
        )

    def y(self, share: float) -> float:
        return self.height - self.bottom - (self.height - self.bottom - 16) * share

    def place(self, point: Point) -> tuple[float, float]:
        return self.x(point.a_day.per_day or 0.0), self.y(point.detected.rate or 0.0)

    def grid(self) -> Drawing:
        shares = [(self.y(each), f"{each:.0%}") for each in SHARES]
        return {
            "width": str(self.width),
            "height": str(self.height),
            "left": str(self.left),
            "right": str(self.right),
            "bottom": _number(self.y(0)),
            "names_end": _number(self.left - 8),
            "middle": _number((self.left + self.width) / 2),
            "rates_baseline": _number(self.height - 22),
            "title_baseline": _number(self.height - BASELINE),
            "shares": [
                {"y": _number(y), "baseline": _number(y + BASELINE), "text": text}
                for y, text in shares
            ],
            "rates": [
                {"x": _number(self.x(each)), "text": f"{each:g}"}
                for each in RATES
                if each <= self.most
            ],
        }


def curve(report: BacktestReport) -> Drawing:
    """Return detection rate over false alarms a day, for thresholds and trivial rules."""
    rates = [each.a_day.per_day or 0.0 for each in (*report.curve, *report.baselines)]
    field = _PlotArea(max([1.0, *rates]) * 1.05)
    places = [field.place(each) for each in report.curve]
    return field.grid() | {
        "line": " ".join(f"{x:.1f},{y:.1f}" for x, y in places),
        "marks": [
            *(_mark(field, each, "own") for each in report.curve),
            *(_mark(field, each, "plain") for each in report.baselines),
        ],
        "names": list(_names(report.baselines, field)),
    }


def _names(points: Sequence[Point], field: _PlotArea) -> Iterator[Words]:
    """Yield the labels of points; rules that do equally well share one."""
    for each in points:
        same = [one.name for one in points if _is_same(one, each)]
        if same[0] == each.name:
            x, y = field.place(each)
            anchor, shift = ("end", -9) if x > field.width * 0.7 else ("", 9)
            at = {"x": _number(x + shift), "y": _number(y + BASELINE)}
            yield at | {"anchor": anchor, "text": ", ".join(same)}


def _is_same(one: Point, other: Point) -> bool:
    return (one.detected, one.a_day) == (other.detected, other.a_day)


def _mark(field: _PlotArea, point: Point, kind: str) -> Words:
    x, y = field.place(point)
    tip = (
        f"{point.name}: {point.detected.hits} of {point.detected.n} found, "
        f"{point.a_day.per_day or 0:.2f} false a day"
    )
    return {"x": _number(x), "y": _number(y), "kind": kind, "tip": tip}


def _number(place: float) -> str:
    return f"{place:.1f}"
