"""GPUs alive over time, and tokens by GPU-hours, as drawings: values in, positions out."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np
from django.utils.translation import gettext as _

from apps.training.in_job.events import CommunicatorRepaired, ReplicaLost
from apps.training.in_job.lane import DegradedLane, LaneSpan
from apps.training.in_job.throughput import RunEfficiency
from apps.web.lanes.scale import Span, clock_text, ticks
from apps.web.session.recovery.page import AliveLane, LaneMark, LaneStep, WorthLines
from apps.web.session.recovery.words import gpus_text, lost_text, repaired_text

LEFT, RIGHT = 80, 1360
TOP, BOTTOM = 16, 104
WORTH_TOP, WORTH_BOTTOM = 12, 172
MOST_POINTS: Final = 240
MOST_MARKS: Final = 600
NARROWEST: Final = 0.5


def alive_lane(lane: DegradedLane) -> AliveLane:
    """Return the lane of an attempt: high as many GPUs as are alive."""
    starts_at, ends_at = (
        _instant(lane.spans[0].begins_seconds),
        _instant(lane.spans[-1].ends_seconds),
    )
    span = Span(
        starts_at=starts_at,
        ends_at=max(ends_at, starts_at + timedelta(seconds=1)),
        left=LEFT,
        right=RIGHT,
    )
    most = lane.started_gpu_count
    return AliveLane(
        steps=tuple(_steps(lane.spans, span, most)),
        marks=tuple(_marks(lane.changes[:MOST_MARKS], span)),
        levels=tuple((_y(count, most), f"{count:,}") for count in sorted({0, most // 2, most})),
        ticks=ticks(span=span, zone=None),
        hint=_("%(alive)s of %(all)s GPUs are alive at the end")
        % {"alive": f"{lane.alive_gpu_count:,}", "all": f"{most:,}"},
    )


def _steps(spans: Sequence[LaneSpan], span: Span, most: int) -> Iterator[LaneStep]:
    for each in spans:
        begin, end = _instant(each.begins_seconds), _instant(each.ends_seconds)
        x, y = span.x(begin), _y(each.alive_gpu_count, most)
        yield LaneStep(
            x=x,
            y=y,
            width=round(max(span.x(end) - x, NARROWEST), 1),
            height=round(BOTTOM - y, 1),
            is_degraded=each.is_degraded,
            hint=_("from %(at)s: %(gpus)s")
            % {"at": clock_text(begin, seconds=True), "gpus": gpus_text(each.alive_gpu_count)},
        )


def _marks(changes: Sequence[ReplicaLost | CommunicatorRepaired], span: Span) -> Iterator[LaneMark]:
    for each in changes:
        at = _instant(each.at_seconds)
        is_loss = isinstance(each, ReplicaLost)
        text = lost_text(each) if isinstance(each, ReplicaLost) else repaired_text(each)
        yield LaneMark(
            x=span.x(at),
            kind="lost" if is_loss else "joined",
            hint=f"{clock_text(at, seconds=True)}: {text}",
        )


def _y(count: int, most: int) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * count / most, 1)


def worth_lines(ran: RunEfficiency, restarted: RunEfficiency | None) -> WorthLines:
    """Return what GPU-hours brought, beside the same with a restart at each loss."""
    hours = max((*ran.gpu_hours, *(restarted.gpu_hours if restarted else ())), default=0.0)
    tokens = max(ran.tokens, default=0.0)
    return WorthLines(
        ran=_line(ran, hours, tokens),
        restarted=_line(restarted, hours, tokens) if restarted else "",
        levels=tuple(
            (round(WORTH_BOTTOM - (WORTH_BOTTOM - WORTH_TOP) * share, 1), short(tokens * share))
            for share in (0.0, 0.5, 1.0)
        ),
        hours=tuple(
            (round(LEFT + (RIGHT - LEFT) * share, 1), short(hours * share))
            for share in (0.0, 0.25, 0.5, 0.75, 1.0)
        ),
        hint=_("Tokens by GPU-hours: %(tokens)s in %(hours)s GPU-hours")
        % {"tokens": short(tokens), "hours": short(ran.gpu_hours[-1] if ran.gpu_hours else 0.0)},
    )


def _line(made: RunEfficiency, hours: float, tokens: float) -> str:
    if not made.gpu_hours or not hours or not tokens:
        return ""
    count = len(made.gpu_hours)
    chosen = np.unique(np.linspace(0, count - 1, min(count, MOST_POINTS)).astype(int)).tolist()
    points = [(0.0, 0.0), *((made.gpu_hours[at], made.tokens[at]) for at in chosen)]
    return " ".join(
        f"{LEFT + (RIGHT - LEFT) * x / hours:.1f},"
        f"{WORTH_BOTTOM - (WORTH_BOTTOM - WORTH_TOP) * y / tokens:.1f}"
        for x, y in points
    )


def short(value: float) -> str:
    """Return a number as an axis has room for it: 1.2M, 340k, 12."""
    for size, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def _instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
