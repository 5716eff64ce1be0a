"""Lanes as a drawing: spans of time in, positions out. What a lane is of does not matter here."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from apps.web.lanes.scale import Span, ticks
from apps.web.session.lifecycle.page import (
    AttemptMark,
    DrawnLane,
    LaneBar,
    LaneDrawing,
    LaneStretch,
    SessionLane,
)

LEFT: Final = 112
RIGHT: Final = 1360
TOP, LANE_HEIGHT, FOOT = 28, 26, 24
LEAST_WIDTH: Final = 2.0
LABEL_WIDTH: Final = 30


def draw_lanes(lanes: Sequence[SessionLane], *, now: datetime, hint: str) -> LaneDrawing | None:
    """Return lanes below each other on one axis; None where nothing stands in them."""
    spans = [span for lane in lanes for span in lane.spans]
    if not spans:
        return None
    axis = _axis(spans, now)
    return LaneDrawing(
        lanes=tuple(
            DrawnLane(
                slug=lane.slug,
                name=lane.name,
                y=TOP + place * LANE_HEIGHT,
                bars=tuple(_bar(span, axis) for span in lane.spans),
            )
            for place, lane in enumerate(lanes)
        ),
        marks=tuple(_marks([span for span in spans if not span.is_between], axis)),
        ticks=ticks(span=axis, zone=None),
        height=TOP + len(lanes) * LANE_HEIGHT + FOOT,
        hint=hint,
    )


def _axis(spans: Sequence[LaneStretch], now: datetime) -> Span:
    starts_at = min(span.starts_at for span in spans)
    ends_at = max(_end(span, now) for span in spans)
    return Span(
        starts_at=starts_at,
        ends_at=max(ends_at, starts_at + timedelta(seconds=1)),
        left=LEFT,
        right=RIGHT,
    )


def _end(span: LaneStretch, now: datetime) -> datetime:
    return span.ends_at if span.ends_at is not None else max(now, span.starts_at)


def _bar(span: LaneStretch, axis: Span) -> LaneBar:
    x, end = axis.x(span.starts_at), axis.x(_end(span, axis.ends_at))
    return LaneBar(
        x=min(x, RIGHT - LEAST_WIDTH),
        width=round(max(end - x, LEAST_WIDTH), 1),
        hint=span.hint,
        is_claimed=span.is_claimed,
        is_open=span.ends_at is None,
        slug=span.slug,
    )


def _marks(spans: Sequence[LaneStretch], axis: Span) -> Iterator[AttemptMark]:
    """Yield each attempt from its first stretch to its last, every second one shaded."""
    free_from = float(LEFT)
    for place, number in enumerate(sorted({span.attempt for span in spans})):
        own = [span for span in spans if span.attempt == number]
        x = axis.x(min(span.starts_at for span in own))
        end = axis.x(max(_end(span, axis.ends_at) for span in own))
        has_room = x >= free_from
        if has_room:
            free_from = x + LABEL_WIDTH
        yield AttemptMark(
            x=x,
            width=round(max(end - x, LEAST_WIDTH), 1),
            label=f"#{number}" if has_room else "",
            is_shaded=place % 2 == 1,
        )
