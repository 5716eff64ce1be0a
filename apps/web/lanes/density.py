"""All observations of an incident in one strip."""

import math
from collections import defaultdict
from collections.abc import Sequence
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
    columns: dict[int, list[Entry]] = defaultdict(list)
    for at, entry in timed:
        columns[int((whole.x(at) - LEFT) / (RIGHT - LEFT) * DENSITY_BARS)].append(entry)
    most = max(sum(entry.count for entry in members) for members in columns.values())
    return Density(
        bars=tuple(
            density_bar(column=column, members=columns[column], most=most)
            for column in sorted(columns)
        ),
        span=whole,
        window_x=whole.x(span.starts_at),
        window_width=round(whole.x(span.ends_at) - whole.x(span.starts_at), 1),
        first=f"{day_text(first)} {clock_text(first)}",
        last=f"{day_text(last)} {clock_text(last)}",
    )


def density_bar(*, column: int, members: Sequence[Entry], most: int) -> DensityBar:
    """Return one column, as high as the logarithm of its observations."""
    count = sum(entry.count for entry in members)
    height = round(3 + (DENSITY_HEIGHT - 3) * math.log1p(count) / math.log1p(most), 1)
    chief = min(members, key=lambda entry: URGENCY.get(entry.role, 9))
    return DensityBar(
        x=round(LEFT + column * (RIGHT - LEFT) / DENSITY_BARS, 1),
        y=DENSITY_HEIGHT - height,
        height=height,
        layer=chief.layer if URGENCY.get(chief.role, 9) <= URGENCY["cascade"] else "quiet",
    )
