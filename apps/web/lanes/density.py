"""All observations of an incident in one strip."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.web.lanes.drawing import Density, DensityBar
from apps.web.lanes.elements import Entry
from apps.web.lanes.scale import LEFT, RIGHT, Span, clock_text, day_text
from apps.web.lanes.urgency import URGENCY

DENSITY_BARS = 160
DENSITY_HEIGHT = 28
DENSITY_REACH = timedelta(hours=1)


def draw_density(*, placed: Sequence[tuple[datetime, Entry]], span: Span) -> Density | None:
    """Return all observations in one strip; a column takes its most urgent layer."""
    first, last = span.starts_at - DENSITY_REACH, span.ends_at + DENSITY_REACH
    timed = [
        (entry.at, entry)
        for _, entry in placed
        if entry.at and not entry.is_band and first <= entry.at <= last
    ]
    if not timed:
        return None
    first = min([span.starts_at, *(at for at, _ in timed)])
    last = max([span.ends_at, *(at for at, _ in timed)])
    whole = Span(starts_at=first, ends_at=last + timedelta(seconds=1))
    columns = _columns(timed, whole)
    most = max(column.count for column in columns.values())
    return Density(
        bars=tuple(
            density_bar(place=place, column=columns[place], most=most) for place in sorted(columns)
        ),
        span=whole,
        window_x=whole.x(span.starts_at),
        window_width=round(whole.x(span.ends_at) - whole.x(span.starts_at), 1),
        first=f"{day_text(first)} {clock_text(first)}",
        last=f"{day_text(last)} {clock_text(last)}",
    )


@dataclass(slots=True)
class DensityColumn:
    """What was observed in one column: how much, and of which layer what is most urgent."""

    count: int = 0
    urgency: int = 99
    layer: str = ""


def _columns(timed: Sequence[tuple[datetime, Entry]], whole: Span) -> dict[int, DensityColumn]:
    """Return by its place what each column holds."""
    first, width = whole.starts_at, (whole.ends_at - whole.starts_at) / DENSITY_BARS
    columns: dict[int, DensityColumn] = defaultdict(DensityColumn)
    for at, entry in timed:
        column = columns[int((at - first) / width)]
        column.count += entry.count
        urgency = URGENCY.get(entry.role, 9)
        if urgency < column.urgency:
            column.urgency, column.layer = urgency, entry.layer
    return columns


def density_bar(*, place: int, column: DensityColumn, most: int) -> DensityBar:
    """Return one column, as high as the logarithm of its observations."""
    height = round(3 + (DENSITY_HEIGHT - 3) * math.log1p(column.count) / math.log1p(most), 1)
    return DensityBar(
        x=round(LEFT + place * (RIGHT - LEFT) / DENSITY_BARS, 1),
        y=round(DENSITY_HEIGHT - height, 1),
        height=height,
        layer=column.layer if column.urgency <= URGENCY["cascade"] else "quiet",
    )
