"""Goodput and what took the rest: whole milliseconds that add up to the wall clock exactly."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from apps.training.economics.timelines import AttemptTimeline, TimeUse
from apps.training.economics.use_table import TIME_USES, Integers, use_table
from apps.training.instants import HOUR_MS, instant, milliseconds

POINT_EVERY = timedelta(minutes=10)
# What others reach: ByteRobust's job of 9,600 GPUs over three months, and the usual in industry.
REFERENCE_SHARES = {"ByteRobust": 0.97, "industry": 0.90}


@dataclass(frozen=True, slots=True, kw_only=True)
class GoodputPoint:
    """The shares of productive time at an instant: since the begin, and of the hour before."""

    at: datetime
    cumulative: float
    hour: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Goodput:
    """A time divided among uses; the milliseconds of all of them are its wall clock.

    `unsure_attempts` are those of which nobody knows what their end lost: their steps count as
    productive.
    """

    starts_at: datetime
    ends_at: datetime
    by_use: Mapping[TimeUse, int]
    points: tuple[GoodputPoint, ...]
    unsure_attempts: tuple[str, ...]

    @property
    def wall_ms(self) -> int:
        """Return the milliseconds of the wall clock."""
        return milliseconds(self.ends_at) - milliseconds(self.starts_at)

    @property
    def productive_share(self) -> float:
        """Return productive time over the wall clock, 0 of no time."""
        return self.by_use[TimeUse.PRODUCTIVE] / self.wall_ms if self.wall_ms else 0.0

    @property
    def ettr(self) -> float:
        """Return the share of effective training time: steps that were kept, slow or not."""
        kept = self.by_use[TimeUse.PRODUCTIVE] + self.by_use[TimeUse.STRAGGLER]
        return kept / self.wall_ms if self.wall_ms else 0.0


def goodput(
    attempts: Sequence[AttemptTimeline],
    *,
    starts_at: datetime,
    ends_at: datetime,
    every: timedelta = POINT_EVERY,
) -> Goodput:
    """Divide the time between two instants among the uses of a session's attempts.

    Where spans overlap the one that stands later in `TimeUse` holds, in whatever order they come.
    Of slow steps the part that is over the usual time is the straggler's.
    """
    start, end = milliseconds(starts_at), max(milliseconds(starts_at), milliseconds(ends_at))
    ticks = np.arange(start, end, max(1, every // timedelta(milliseconds=1)), dtype=np.int64)
    edges, table = use_table(attempts, start=start, end=end, ticks=ticks)
    return Goodput(
        starts_at=instant(start),
        ends_at=instant(end),
        by_use=dict(zip(TIME_USES, table.sum(axis=0).tolist(), strict=True)),
        points=_points(edges, table, ticks),
        unsure_attempts=tuple(sorted({each.name for each in attempts if _is_unsure(each)})),
    )


def _points(edges: Integers, table: Integers, ticks: Integers) -> tuple[GoodputPoint, ...]:
    if len(edges) < 2:
        return ()
    done = np.concatenate([[0], np.cumsum(table[:, TIME_USES.index(TimeUse.PRODUCTIVE)])])
    ends = np.unique(np.append(ticks[1:], edges[-1]))
    hour_ago = np.maximum(ends - HOUR_MS, edges[0])
    at, before = (np.interp(some, edges, done) for some in (ends, hour_ago))
    return tuple(
        GoodputPoint(at=instant(end), cumulative=total, hour=hour)
        for end, total, hour in zip(
            ends.tolist(),
            (at / (ends - edges[0])).tolist(),
            ((at - before) / (ends - hour_ago)).tolist(),
            strict=True,
        )
    )


def _is_unsure(one: AttemptTimeline) -> bool:
    return bool(one.ends_at and one.steps_from and one.kept_until is None)
