"""A time in pieces, and what each piece was used for: whole milliseconds that add up exactly."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from apps.training.economics.timelines import (
    AttemptTimeline,
    SlowTime,
    TimeUse,
    TimeUseSpan,
    slow_times,
    time_use_spans,
)
from apps.training.instants import HOUR_MS, instant, milliseconds

Integers = NDArray[np.int64]
TIME_USES = tuple(TimeUse)


def use_table(
    attempts: Sequence[AttemptTimeline], *, start: int, end: int, ticks: Integers
) -> tuple[Integers, Integers]:
    """Return the edges between pieces, and milliseconds: a row a piece, a column a use.

    There is an edge at each tick and wherever anything changes.
    """
    spans = time_use_spans(attempts, until=instant(end))
    slow = slow_times(attempts)
    edges = _edges(start, end, ticks, spans, slow)
    return edges, _table(np.diff(edges), _painted(edges, spans), _ratios(edges, slow))


def hourly_uses(
    attempts: Sequence[AttemptTimeline], *, starts_at: datetime, ends_at: datetime
) -> Mapping[datetime, Mapping[TimeUse, int]]:
    """Return the begin of each hour that is touched → milliseconds of each use within it.

    Together they are the time between the two instants.
    """
    start, end = milliseconds(starts_at), max(milliseconds(starts_at), milliseconds(ends_at))
    ticks = np.arange(start - start % HOUR_MS, end, HOUR_MS, dtype=np.int64)
    edges, table = use_table(attempts, start=start, end=end, ticks=ticks)
    if not len(table):
        return {}
    hours, firsts = np.unique(edges[:-1] // HOUR_MS, return_index=True)
    spent = np.add.reduceat(table, firsts, axis=0).tolist()
    return {
        instant(hour * HOUR_MS): dict(zip(TIME_USES, row, strict=True))
        for hour, row in zip(hours.tolist(), spent, strict=True)
    }


def _edges(
    start: int,
    end: int,
    ticks: Integers,
    spans: Sequence[TimeUseSpan],
    slow: Sequence[SlowTime],
) -> Integers:
    """Return every instant between two at which anything may change, once, in order."""
    instants = [start, end, *(at for each in spans for at in (each.start, each.end))]
    instants += [milliseconds(at) for each in slow for at in (each.starts_at, each.ends_at)]
    every = np.unique(np.concatenate([np.array(instants, dtype=np.int64), ticks]))
    return every[(every >= start) & (every <= end)]


def _painted(edges: Integers, spans: Sequence[TimeUseSpan]) -> Integers:
    """Return the use of each piece between edges; unknown where no span is."""
    painted = np.zeros(len(edges) - 1, dtype=np.int64)
    for span in sorted(spans, key=lambda each: TIME_USES.index(each.use)):
        painted[_slice(edges, span.start, span.end)] = TIME_USES.index(span.use)
    return painted


def _ratios(edges: Integers, slow: Sequence[SlowTime]) -> NDArray[np.float64]:
    ratios = np.ones(len(edges) - 1)
    for each in slow:
        ratios[_slice(edges, milliseconds(each.starts_at), milliseconds(each.ends_at))] = each.ratio
    return ratios


def _slice(edges: Integers, start: int, end: int) -> slice:
    first, last = np.searchsorted(edges, (start, end)).tolist()
    return slice(first, last)


def _table(lengths: Integers, painted: Integers, ratio: NDArray[np.float64]) -> Integers:
    """Return milliseconds: a row per piece of time, a column per use."""
    table = np.zeros((len(lengths), len(TIME_USES)), dtype=np.int64)
    table[np.arange(len(lengths)), painted] = lengths
    productive = TIME_USES.index(TimeUse.PRODUCTIVE)
    over = np.rint(table[:, productive] * (1 - 1 / ratio)).astype(np.int64)
    table[:, productive] -= over
    table[:, TIME_USES.index(TimeUse.STRAGGLER)] += over
    return table
