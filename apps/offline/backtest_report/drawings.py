"""The charts of the page as inline SVG: lead times, the range day by day, the threshold curve."""

import math
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from html import escape

from apps.diagnosis.detection.backtest.report import Alarm, FailureOutcome, Point, Report, When
from apps.offline.backtest_report.text import span_words

WIDTH = 1040
LEFT, RIGHT = 190, 24
# Lead times reach from seconds to days: drawn by the logarithm of minutes, in both directions.
TICKS = (-10080, -1440, -360, -60, -10, 0, 10, 60)
ROW = 22
RATES = (0.0, 0.1, 0.5, 1, 5, 20, 100)
DOT = {When.BEFORE: "good", When.AT: "at", When.AFTER: "late"}


def leads(outcomes: Sequence[FailureOutcome]) -> str:
    """Return one row a failure: when the alarm came, beside the instant of the failure."""
    height = 44 + ROW * len(outcomes)
    parts = [_open(height, "Lead time of each detection")]
    for minutes in TICKS:
        x = _log(minutes)
        kind = "zero" if minutes == 0 else "grid"
        parts.append(f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="24" y2="{height - 8}"/>')
        parts.append(_text(x, 14, _tick(minutes), "tick mid"))
    for place, each in enumerate(outcomes):
        y = 36 + ROW * place
        parts.append(_text(LEFT - 12, y + 4, each.label.title, "name end"))
        parts.extend(_lead(each, y))
    return "".join([*parts, "</svg>"])


def _lead(outcome: FailureOutcome, y: float) -> Iterator[str]:
    zero = _log(0)
    if outcome.lead is None or outcome.when is None or outcome.alarm is None:
        yield _text(zero + 10, y + 4, "missed", "missed")
        return
    # To the left of the failure is before it.
    x = _log(-outcome.lead.total_seconds() / 60)
    kind = DOT[outcome.when]
    tip = f"{span_words(outcome.lead)} before; {', '.join(outcome.alarm.families)}"
    yield f'<line class="stem {kind}" x1="{x:.1f}" x2="{zero:.1f}" y1="{y}" y2="{y}"/>'
    dot = f'<circle class="dot {kind}" cx="{x:.1f}" cy="{y}" r="5">'
    yield f"{dot}<title>{escape(tip)}</title></circle>"


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


def days(report: Report) -> str:
    """Return the range as one strip: failures above, alarms below, false ones hollow."""
    watched = report.watched
    height = 118
    first, last = watched.starts_at, watched.ends_at
    parts = [_open(height, "Failures and alarms over the range")]

    def place(at: datetime) -> float:
        share = (at - first) / (last - first) if last > first else 0.0
        return LEFT + (WIDTH - LEFT - RIGHT) * min(1.0, max(0.0, share))

    for at in _midnights(first, last):
        x = place(at)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="10" y2="92"/>')
        parts.append(_text(x, 110, f"{at:%d %b}", "tick mid"))
    false = {id(each) for each in report.false_alarms[0].alarms}
    for row, name in ((30, "failures"), (54, "true alarms"), (78, "false alarms")):
        parts.append(_text(LEFT - 12, row + 4, name, "name end"))
    for each in report.outcomes:
        x, kind = place(each.label.at), "found" if each.alarm else "lost"
        tip = escape(f"{each.label.title}, {each.label.at:%Y-%m-%d %H:%M} UTC")
        shape = f"M{x:.1f} 23l6 7-6 7-6-7z"
        parts.append(f'<path class="failure {kind}" d="{shape}"><title>{tip}</title></path>')
    parts += [
        _alarm(alarm, place(alarm.raised_at), is_false=id(alarm) in false)
        for alarm in report.alarms
    ]
    return "".join([*parts, "</svg>"])


def _alarm(alarm: Alarm, x: float, *, is_false: bool) -> str:
    tip = f"{alarm.part}, {alarm.raised_at:%Y-%m-%d %H:%M} UTC: {', '.join(alarm.families)}"
    kind, y = ("false", 78) if is_false else ("true", 54)
    return (
        f'<circle class="alarm {kind}" cx="{x:.1f}" cy="{y}" r="4.5">'
        f"<title>{escape(tip)}</title></circle>"
    )


def _midnights(first: datetime, last: datetime) -> Iterator[datetime]:
    days_ = max(1, (last - first).days)
    step = timedelta(days=max(1, math.ceil(days_ / 12)))
    at = first.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    while at < last:
        yield at
        at += step


class _Field:
    """Where a rate of false alarms and a share of failures are drawn."""

    width, height, left, bottom = 640, 300, 56, 40

    def __init__(self, most: float) -> None:
        self.most = most

    def x(self, rate: float) -> float:
        return self.left + (self.width - self.left - 20) * (
            math.log1p(rate * 10) / math.log1p(self.most * 10)
        )

    def y(self, share: float) -> float:
        return self.height - self.bottom - (self.height - self.bottom - 16) * share

    def place(self, point: Point) -> tuple[float, float]:
        return self.x(point.a_day.per_day or 0.0), self.y(point.detected.rate or 0.0)

    def grid(self) -> Iterator[str]:
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            y = self.y(share)
            ends = f'x1="{self.left}" x2="{self.width - 20}"'
            yield f'<line class="grid" {ends} y1="{y:.1f}" y2="{y:.1f}"/>'
            yield _text(self.left - 8, y + 4, f"{share:.0%}", "tick end")
        for rate in (each for each in RATES if each <= self.most):
            x = self.x(rate)
            yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="16" y2="{self.y(0):.1f}"/>'
            yield _text(x, self.height - 22, f"{rate:g}", "tick mid")
        middle = (self.left + self.width) / 2
        yield _text(middle, self.height - 4, "false alarm episodes a day", "tick mid")


def curve(report: Report) -> str:
    """Return detection rate over false alarms a day, for thresholds and trivial rules."""
    rates = [each.a_day.per_day or 0.0 for each in (*report.curve, *report.baselines)]
    field = _Field(max([1.0, *rates]) * 1.05)
    label = "Detection rate over false alarms a day"
    box = f'viewBox="0 0 {field.width} {field.height}"'
    places = [field.place(each) for each in report.curve]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    parts = [
        f'<svg {box} class="curve" role="img" aria-label="{label}">',
        *field.grid(),
        f'<polyline class="line" points="{line}"/>',
        *(_mark(*field.place(each), each, "own") for each in report.curve),
        *(_mark(*field.place(each), each, "plain") for each in report.baselines),
        *_names(report.baselines, field),
        "</svg>",
    ]
    return "".join(parts)


def _names(points: Sequence[Point], field: _Field) -> Iterator[str]:
    """Yield the labels of points; rules that do equally well share one."""
    for each in points:
        same = [one.name for one in points if _is_same(one, each)]
        if same[0] == each.name:
            x, y = field.place(each)
            anchor, shift = ("end", -9) if x > field.width * 0.7 else ("", 9)
            yield _text(x + shift, y + 4, ", ".join(same), f"tick {anchor}")


def _is_same(one: Point, other: Point) -> bool:
    return (one.detected, one.a_day) == (other.detected, other.a_day)


def _mark(x: float, y: float, point: Point, kind: str) -> str:
    tip = (
        f"{point.name}: {point.detected.hits} of {point.detected.n} found, "
        f"{point.a_day.per_day or 0:.2f} false a day"
    )
    return (
        f'<circle class="mark {kind}" cx="{x:.1f}" cy="{y:.1f}" r="5">'
        f"<title>{escape(tip)}</title></circle>"
    )


def _open(height: float, label: str) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(label)}">'


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'
