"""How many seconds a row is, where a file doesn't say: told by the rhythm of the day."""

from typing import Final

import numpy as np

from apps.diagnosis.stats import Floats, without_blanks

DAY: Final = 86_400
STEPS: Final = (10, 15, 30, 60, 120, 180, 300, 600, 900, 1200, 1800, 3600)
DAYS: Final = 3  # that must be there to know one
# Rows a day apart must be this much more alike than rows half a day apart.
LEAST_CONTRAST: Final = 0.3
COLUMNS: Final = 12
MOST_ROWS: Final = 100_000


def step_by_day(rows: Floats) -> float | None:
    """Return the seconds between rows if the columns repeat daily, else None.

    A day is the lag at which columns are like themselves while at half of it they aren't: what
    repeats every hour or changes slowly doesn't look so. Odd multiples of a day do: the shortest
    lag that is nearly as good as the best one is taken.
    """
    sample = _sample(rows[-MOST_ROWS:])
    if sample is None:
        return None
    contrast = {
        step: _alike(sample, DAY // step) - _alike(sample, DAY // step // 2)
        for step in STEPS
        if len(sample) >= DAYS * DAY // step
    }
    best = max(contrast.values(), default=0.0)
    if best < LEAST_CONTRAST:
        return None
    return float(max(step for step, value in contrast.items() if value >= 0.8 * best))


def _sample(rows: Floats) -> Floats | None:
    """Return a few columns that move, in standard deviations, gaps as usual; None without any."""
    clean = without_blanks(np.asarray(rows, dtype=np.float64))
    known = clean[:, np.count_nonzero(~np.isnan(clean), axis=0) > len(clean) / 2]
    alive = known[:, np.nanstd(known, axis=0) > 0]
    if not alive.shape[1]:
        return None
    few = np.unique(np.linspace(0, alive.shape[1] - 1, COLUMNS).round().astype(np.intp))
    some = alive[:, few]
    standard = (some - np.nanmedian(some, axis=0)) / np.nanstd(some, axis=0)
    clipped: Floats = np.nan_to_num(np.clip(standard, -3, 3))
    return clipped


def _alike(sample: Floats, lag: int) -> float:
    """Return the mean correlation of the columns with themselves `lag` rows before."""
    later, sooner = sample[lag:], sample[:-lag]
    later, sooner = later - later.mean(axis=0), sooner - sooner.mean(axis=0)
    size = np.sqrt((later**2).sum(axis=0) * (sooner**2).sum(axis=0))
    return float(np.mean((later * sooner).sum(axis=0) / np.where(size > 0, size, np.inf)))
