"""Robust statistics on numpy arrays: scores, rates, quantiles, intervals. Never: thresholds."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Scales the median absolute deviation to the standard deviation of a normal sample.
MAD_TO_SIGMA = 1.4826

# Values from here on are DCGM's four "blank" integers (0x7ffffffffffffff0 …) as floats, or their
# neighbours: missing, never a quantity. https://github.com/NVIDIA/DCGM dcgm_structs.h
DCGM_BLANK_INT64 = 9.2e18
# The blank 32-bit integers (0x7ffffff0 … 0x7ffffff3) and the blank doubles (2^47 …).
DCGM_BLANK_INT32 = (2147483632.0, 2147483635.0)
DCGM_BLANK_FP64 = (140737488355328.0, 140737488355331.0)


def without_blanks(values: Floats) -> Floats:
    """Return the values with infinities and DCGM's blank codes as NaN."""
    highest = np.fmax.reduce(values, axis=None, initial=0.0)
    lowest = np.fmin.reduce(values, axis=None, initial=0.0)
    if max(highest, -lowest) < DCGM_BLANK_INT32[0] * 0.999:
        return values
    magnitude = np.abs(values)
    blank = ~np.isfinite(values) | (magnitude >= DCGM_BLANK_INT64)
    for low, high in (DCGM_BLANK_INT32, DCGM_BLANK_FP64):
        blank |= (values >= low) & (values <= high)
    return np.where(blank, np.nan, values)


def increases(values: Floats) -> Floats:
    """Return how much each counter row grew since the last sample it had, NaN where it has none.

    The first sample of a row is a baseline (NaN). After a reset the whole new value is growth.
    """
    before = last_known(values)
    grown = np.full_like(values, np.nan)
    difference = values[:, 1:] - before[:, :-1]
    grown[:, 1:] = np.where(difference < 0, values[:, 1:], difference)
    return grown


def rates(values: Floats, step: float) -> Floats:
    """Return the growth of counter rows per second; a growth over a gap is spread over the gap."""
    known = ~np.isnan(values)
    columns = np.arange(values.shape[1])
    last = np.maximum.accumulate(np.where(known, columns, -1), axis=1)
    elapsed = np.full(values.shape, np.nan)
    elapsed[:, 1:] = (columns[1:] - last[:, :-1]) * step
    per_second: Floats = increases(values) / elapsed
    return per_second


def last_known(values: Floats) -> Floats:
    """Return the values with each gap filled from its left; a gap at the start stays NaN."""
    known = ~np.isnan(values)
    index = np.where(known, np.arange(values.shape[1]), 0)
    filled: Floats = np.take_along_axis(values, np.maximum.accumulate(index, axis=1), axis=1)
    return filled


def median(values: Floats) -> Floats:
    """Return the median of each column over its present rows, NaN where no row is present."""
    middle: Floats = quantiles(values, (0.5,))[0]
    return middle


def quantiles(values: Floats, probabilities: tuple[float, ...]) -> Floats:
    """Return one row per probability: the quantile of each column over its present rows."""
    rows, columns = values.shape
    if not rows:
        return np.full((len(probabilities), columns), np.nan)
    ordered = np.sort(values, axis=0)  # NaN sorts last
    present = np.count_nonzero(~np.isnan(values), axis=0)
    out = np.empty((len(probabilities), columns))
    for row, probability in enumerate(probabilities):
        position = probability * np.maximum(present - 1, 0)
        low = np.floor(position).astype(np.intp)
        high = np.minimum(low + 1, np.maximum(present - 1, 0))
        at = np.arange(columns)
        share = position - low
        lower, upper = ordered[low, at], ordered[high, at]
        out[row] = np.where(share == 0, lower, lower + share * (upper - lower))
    return out


def middle_and_spread(values: Floats, *, least: int = 1) -> tuple[Floats, Floats]:
    """Return median and robust standard deviation of each column over its present rows.

    NaN where fewer than `least` rows are present. Sorted along contiguous memory: ten times as
    fast as by column.
    """
    across = np.sort(values.T, axis=1)
    present = np.count_nonzero(across == across, axis=1)  # noqa: PLR0124  NaN sorts last
    middle = _middle(across, present)
    across = np.sort(np.abs(values.T - middle[:, None]), axis=1)
    spread = MAD_TO_SIGMA * _middle(across, present)
    few = present < least
    return np.where(few, np.nan, middle), np.where(few, np.nan, spread)


def _middle(ordered: Floats, present: NDArray[np.intp]) -> Floats:
    """Return the median of each sorted row, whose first `present` values count."""
    if not ordered.shape[1]:
        return np.full(len(ordered), np.nan)
    at = np.arange(len(ordered))
    low, high = np.maximum(present - 1, 0) // 2, present // 2
    lower = ordered[at, low]
    middle: Floats = (lower + ordered[at, np.minimum(high, ordered.shape[1] - 1)]) / 2
    odd = low == high
    return np.where(odd, lower, middle)


def midmean(values: Floats, *, least: int = 1) -> Floats:
    """Return the mean of the middle half of each column's present rows, NaN where too few are."""
    across = np.sort(values.T, axis=1)
    present = np.count_nonzero(across == across, axis=1)  # noqa: PLR0124  NaN sorts last
    total = np.zeros((len(across), across.shape[1] + 1))
    total[:, 1:] = np.cumsum(np.nan_to_num(across), axis=1)
    at, low = np.arange(len(across)), present // 4
    inside = total[at, present - low] - total[at, low]
    mean: Floats = np.where(present < least, np.nan, inside / np.maximum(1, present - 2 * low))
    return mean


def second_highest(values: Floats, like: NDArray[np.intp]) -> Floats:
    """Return for each value the second highest of its column in rows of the same number.

    NaN where fewer than two are present. One wild row doesn't move it.
    """
    out = np.full(values.shape, np.nan, values.dtype)
    for number in np.unique(like).tolist():
        rows = like == number
        if np.count_nonzero(rows) > 1 and values.shape[1]:
            known = np.where(np.isnan(values[rows]), -np.inf, values[rows])
            second = np.partition(known, -2, axis=0)[-2]
            out[rows] = np.where(np.isneginf(second), np.nan, second)
    return out


def held(mask: Mask, *, window: int, at_least: int) -> Mask:
    """Say where at least `at_least` of the last `window` columns were true."""
    total = np.cumsum(mask, axis=1, dtype=np.int64)
    recent = total.copy()
    recent[:, window:] -= total[:, :-window]
    result: Mask = recent >= at_least
    return result


def runs(mask: Mask, *, bridge: int = 0) -> Iterator[tuple[int, int, int]]:
    """Yield (row, first, end) of each run of true columns; up to `bridge` false ones join runs."""
    for row in np.flatnonzero(mask.any(axis=1)):
        columns = np.flatnonzero(mask[row])
        cuts = np.flatnonzero(np.diff(columns) > bridge + 1)
        firsts = columns[np.concatenate(([0], cuts + 1))]
        lasts = columns[np.concatenate((cuts, [len(columns) - 1]))]
        for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
            yield int(row), first, last + 1
