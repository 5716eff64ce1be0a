"""Steps that take longer from some moment on: sudden or gradual, and clearly apart from noise."""

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.model import (
    Mark,
)
from apps.diagnosis.signatures.marks import marked

Steps = NDArray[np.float64]
# Fewer values are an excerpt: somebody chose them, and noise can't be told from them alone.
LEAST, MANY = 4, 12
# The first steps compile, allocate and connect.
WARM_UP = 2
LEAST_RISE, LARGE_RISE = 1.03, 1.3
# Of the spread inside both parts, in an excerpt and in a long series.
APART, CLEARLY = 3.0, 5.0
# No clock of a program is better than this share of a step.
FLOOR = 0.003
KEPT_UP = 0.9
ROUGH = marked(Mark.AVERAGED)
ROUGH_RISE, ROUGH_LEAST = 1.25, 24
# A slow climb, over so many parts of a long series.
PARTS, CLIMB = 8, 1.10


def risen(*, values: Steps, is_rough: bool = False) -> float | None:
    """Return how many times as long steps take since some moment until the end, if they do."""
    if len(values) < (ROUGH_LEAST if is_rough else LEAST):
        return None
    rise = ROUGH_RISE if is_rough else LEAST_RISE
    if len(values) < MANY:
        return _ratio(values, _split(values, 2)) if _is_clean_step(values, rise) else None
    values = values[WARM_UP:]
    if _is_step(values, rise) or _is_climb(values):
        return _ratio(values, _split(values, _margin(values)))
    return None


def _ratio(values: Steps, place: int) -> float:
    return float(np.median(values[place:]) / np.median(values[:place]))


def _margin(values: Steps) -> int:
    """Return how many values a part has at least."""
    return max(LEAST, len(values) // 10)


def _split(values: Steps, least: int) -> int:
    """Return where two medians describe the values best."""

    def cost(place: int) -> float:
        parts = (values[:place], values[place:])
        return sum(float(np.abs(part - np.median(part)).sum()) for part in parts)

    return min(range(least, len(values) - least + 1), key=cost)


def _is_clean_step(values: Steps, rise: float) -> bool:
    """Say whether an excerpt is two flat parts, the later one higher by far more than both vary."""
    place = _split(values, 2)
    before, after = values[:place], values[place:]
    gap = after.min() - before.max()
    spread = max(np.ptp(before), np.ptp(after))
    is_apart = gap >= APART * spread and gap >= FLOOR * before.max()
    return bool(is_apart and np.median(after) >= rise * np.median(before))


def _is_step(values: Steps, rise: float) -> bool:
    place = _split(values, _margin(values))
    before, after = values[:place], values[place:]
    low, high = float(np.median(before)), float(np.median(after))
    rest = np.concatenate([before - low, after - high])
    spread = max(1.4826 * float(np.median(np.abs(rest))), FLOOR * low)
    middle = (low + high) / 2
    is_kept = (after > middle).mean() >= KEPT_UP and (before < middle).mean() >= KEPT_UP
    return bool(is_kept and high >= rise * low and high - low >= CLEARLY * spread)


def _is_climb(values: Steps) -> bool:
    """Say whether the medians of equal parts grow from each to the next."""
    if len(values) < PARTS * LEAST:
        return False
    medians = np.array([np.median(part) for part in np.array_split(values, PARTS)])
    return bool((np.diff(medians) > 0).all() and medians[-1] >= CLIMB * medians[0])
