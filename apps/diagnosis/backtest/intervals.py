"""Exact 95 % intervals of shares (Clopper-Pearson) and of counts (Poisson), by bisection."""

import math
from collections.abc import Callable

TAIL = 0.025
STEPS = 60


def share_interval(hits: int, trials: int) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a share; (0, 1) when nothing was tried."""
    if not trials:
        return 0.0, 1.0
    low = 0.0
    if hits:
        low = _solved(lambda p: 1.0 - _binomial_below(hits - 1, trials, p) - TAIL, 0.0, 1.0)
    high = 1.0
    if hits < trials:
        high = _solved(lambda p: TAIL - _binomial_below(hits, trials, p), 0.0, 1.0)
    return low, high


def count_interval(count: int) -> tuple[float, float]:
    """Return the exact interval of the mean of a Poisson count."""
    most = count + 10.0 * math.sqrt(count + 1.0) + 10.0
    low = _solved(lambda mean: 1.0 - _poisson_below(count - 1, mean) - TAIL, 0.0, most)
    high = _solved(lambda mean: TAIL - _poisson_below(count, mean), 0.0, most)
    return (low if count else 0.0), high


def _solved(rising: Callable[[float], float], low: float, high: float) -> float:
    """Return where a rising function crosses zero."""
    for _ in range(STEPS):
        middle = (low + high) / 2
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _binomial_below(hits: int, trials: int, p: float) -> float:
    """Return the probability of at most `hits`."""
    if p <= 0.0 or hits >= trials:
        return 1.0
    if p >= 1.0:
        return 0.0
    every = math.lgamma(trials + 1)
    return math.fsum(
        math.exp(
            every
            - math.lgamma(k + 1)
            - math.lgamma(trials - k + 1)
            + k * math.log(p)
            + (trials - k) * math.log1p(-p)
        )
        for k in range(hits + 1)
    )


def _poisson_below(count: int, mean: float) -> float:
    """Return the probability of at most `count`."""
    if mean <= 0.0:
        return 1.0
    return math.fsum(
        math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) for k in range(count + 1)
    )
