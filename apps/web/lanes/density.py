"""All observations of an incident in one strip."""

import math
from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from apps.web.lanes.drawing import Density, DensityBar
from apps.web.lanes.entry_index import (
    EntryIndex,
    IndexedTimeline,
    Observed,
    instant_of,
    ticks_in,
    ticks_of,
)
from apps.web.lanes.scale import LEFT, RIGHT, Span, clock_text, day_text
from apps.web.lanes.urgency import URGENCY

DENSITY_BARS = 160
DENSITY_HEIGHT = 28
DENSITY_REACH = timedelta(hours=1)


def draw_density(*, timeline: IndexedTimeline, span: Span) -> Density | None:
    """Return all observations in one strip; a column takes its most urgent layer."""
    reach = span.starts_at - DENSITY_REACH, span.ends_at + DENSITY_REACH
    found = [(part, part.observed(*reach)) for part in timeline.parts]
    observed = [(part, told) for part, told in found if len(told.at)]
    if not observed:
        return None
    first = min([span.starts_at, *(instant_of(told.at.min()) for _, told in observed)])
    last = max([span.ends_at, *(instant_of(told.at.max()) for _, told in observed)])
    whole = Span(starts_at=first, ends_at=last + timedelta(seconds=1))
    columns: dict[int, DensityColumn] = defaultdict(DensityColumn)
    for part, told in observed:
        _count(part, told, whole, columns)
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
    at: int = 0  # of what is most urgent
    layer: str = ""


def _count(
    part: EntryIndex, told: Observed, whole: Span, columns: dict[int, DensityColumn]
) -> None:
    """Add to each column what was observed in it, by its place."""
    width = ticks_in((whole.ends_at - whole.starts_at) / DENSITY_BARS)
    places = ((told.at - ticks_of(whole.starts_at)) / width).astype(np.int64)
    counts = np.bincount(places, weights=told.counts)
    # Of each column the most urgent, the earliest of those, whichever part of the story tells it.
    order = np.lexsort((told.at, told.urgencies, places))
    for number in order[np.unique(places[order], return_index=True)[1]]:
        column = columns[int(places[number])]
        column.count += int(counts[places[number]])
        foremost = int(told.urgencies[number]), int(told.at[number])
        if foremost < (column.urgency, column.at):
            column.urgency, column.at = foremost
            column.layer = part.placed[told.places[number]][1].layer


def density_bar(*, place: int, column: DensityColumn, most: int) -> DensityBar:
    """Return one column, as high as the logarithm of its observations."""
    height = round(3 + (DENSITY_HEIGHT - 3) * math.log1p(column.count) / math.log1p(most), 1)
    return DensityBar(
        x=round(LEFT + place * (RIGHT - LEFT) / DENSITY_BARS, 1),
        y=round(DENSITY_HEIGHT - height, 1),
        height=height,
        layer=column.layer if column.urgency <= URGENCY["cascade"] else "quiet",
    )
