"""What of its time is read of a source: on from what was read last, in parts that can be held."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from apps.diagnosis.detection.metrics.frames import Grid, grid_between

# What was measured needs a moment until the server has it.
SETTLING: Final = timedelta(seconds=5)
# How far back a first contact, or the first after an outage, reads.
BACKFILL: Final = timedelta(hours=7)
STEP_SECONDS: Final = 30.0
BACKFILL_STEP_SECONDS: Final = 60.0
# A span longer than this is read at the coarser step.
LONG: Final = timedelta(minutes=30)
# So many values are held at once: 8 bytes each, and as much again while detectors work.
BLOCK_VALUES: Final = 1_500_000


def span_to_read(*, until: datetime | None, now: datetime, newest: datetime | None = None) -> Grid:
    """Return what to read: on from what was read last, at most the back-fill's length.

    `newest` is the latest instant that the server answers for, where that is not now.
    """
    oldest, newest = now - BACKFILL, min(now - SETTLING, newest or now)
    starts_at = max(oldest, until) if until else oldest
    step = BACKFILL_STEP_SECONDS if newest - starts_at > LONG else STEP_SECONDS
    start = starts_at.timestamp() + (step / 2 if until and until > oldest else 0.0)
    return grid_between(start=start, end=newest.timestamp(), step=step)


def blocks_of(*, grid: Grid, row_count: int) -> Iterator[Grid]:
    """Yield a span in parts of which all values can be held at once."""
    width = max(1, BLOCK_VALUES // max(row_count, 1))
    for first in range(0, grid.count, width):
        count = min(width, grid.count - first)
        yield Grid(start=grid.start + first * grid.step, step=grid.step, count=count)
