"""The share of effective training time by chance: what the formulas are held against."""

from collections.abc import Sequence

import numpy as np

from apps.diagnosis.stats import Floats
from apps.training.economics.expectations import DAY_SECONDS, best_interval_seconds

SEGMENTS = 200_000
# Intervals that are tried, about the formula's.
TRIED = np.geomspace(0.6, 1.6, 41)


def simulated_ettr(
    *,
    failures_per_day: float,
    restart_seconds: float,
    interval_seconds: float,
    save_seconds: float,
    seed: int = 0,
    segments: int = SEGMENTS,
) -> float:
    """Return effective over all time of so many intervals, each repeated until nothing fails.

    Failures come as of a Poisson process while steps are made and saved; what was done since the
    last save is done again, after a restart.
    """
    random = np.random.default_rng(seed)
    mean = DAY_SECONDS / failures_per_day
    length = interval_seconds + save_seconds
    # Of the same drawn numbers whatever the interval, so that intervals can be compared.
    failed = np.floor(np.log(random.random(segments)) / np.log(-np.expm1(-length / mean)))
    lost = _until_failure(random.random(int(failed.sum())), mean, length)
    wall = segments * length + lost.sum() + failed.sum() * restart_seconds
    return float(segments * interval_seconds / wall)


def simulated_best_interval(
    *,
    failures_per_day: float,
    restart_seconds: float,
    save_seconds: float,
    seed: int = 0,
    segments: int = SEGMENTS,
) -> float:
    """Return the seconds between saves at which simulated runs lose least.

    The loss is flat about its least: a parabola through all that was tried finds it, its
    highest point would be chance.
    """
    guess = best_interval_seconds(failures_per_day=failures_per_day, save_seconds=save_seconds)
    lost = [
        1
        / simulated_ettr(
            failures_per_day=failures_per_day,
            restart_seconds=restart_seconds,
            interval_seconds=guess * factor,
            save_seconds=save_seconds,
            seed=seed,
            segments=segments,
        )
        for factor in TRIED.tolist()
    ]
    return guess * _least(TRIED, lost)


def _until_failure(drawn: Floats, mean: float, length: float) -> Floats:
    """Return when tries failed that did fail within a length: exponential, cut off there."""
    return np.asarray(-mean * np.log1p(-drawn * -np.expm1(-length / mean)))


def _least(factors: Floats, lost: Sequence[float]) -> float:
    """Return where a + b·x + c/x is least: the shape that the cost of saving at intervals has."""
    terms = np.column_stack([np.ones(len(factors)), factors, 1 / factors])
    (_, rising, falling), *_ = np.linalg.lstsq(terms, np.array(lost), rcond=None)
    return float(np.sqrt(falling / rising))
