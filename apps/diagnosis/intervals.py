"""Shares and counts with their 95 % intervals: the one place where intervals are made.

Wilson where cases were collected and judged: its bounds hold 95 % on the average, and are short
enough to be read with ten cases. Clopper-Pearson and exact Poisson where a detector is claimed to
find so many failures with so few false alarms: there the bounds must never hold less than 95 %, so
that few or no misses promise nothing. Bootstrap for what is neither: means, medians, shares of a
total, and how two groups compare.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
TAIL = 0.025
ROUNDS = 2000  # of a bootstrap
DRAWN_AT_ONCE = 1_000_000  # cases, so that many take no more memory than few
STEPS = 60
Z = 1.959964  # of the same tails under the normal curve


@dataclass(frozen=True, slots=True, kw_only=True)
class HitShare:
    """Hits among cases that were judged."""

    hits: int
    n: int

    @property
    def rate(self) -> float | None:
        """The share; None of nothing."""
        return self.hits / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval; all there is where nothing was judged."""
        return wilson(self.hits, self.n)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactShare(HitShare):
    """Hits among trials of a claim."""

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Clopper-Pearson interval; all there is where nothing was tried."""
        return share_interval(self.hits, self.n)


@dataclass(frozen=True, slots=True, kw_only=True)
class RateInterval:
    """Events in a time with the exact interval."""

    count: int
    days: float

    @property
    def per_day(self) -> float | None:
        """Events a day; None when no time was observed."""
        return self.count / self.days if self.days else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % Poisson interval, a day."""
        if not self.days:
            return None
        low, high = count_interval(self.count)
        return low / self.days, high / self.days


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return the Wilson 95 % interval of a share; (0, 1) when nothing was tried."""
    if not trials:
        return 0.0, 1.0
    share = successes / trials
    centre = share + Z * Z / (2 * trials)
    margin = Z * math.sqrt(share * (1 - share) / trials + Z * Z / (4 * trials * trials))
    scale = 1 + Z * Z / trials
    return max(0.0, (centre - margin) / scale), min(1.0, (centre + margin) / scale)


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


@lru_cache(maxsize=4096)
def count_interval(count: int) -> tuple[float, float]:
    """Return the exact interval of the mean of a Poisson count."""
    most = count + 10.0 * math.sqrt(count + 1.0) + 10.0
    factorials = np.array([math.lgamma(k + 1) for k in range(count + 1)])
    low = _solved(lambda mean: 1.0 - _poisson_sum(factorials[:-1], mean) - TAIL, 0.0, most)
    high = _solved(lambda mean: TAIL - _poisson_sum(factorials, mean), 0.0, most)
    return (low if count else 0.0), high


def bootstrap(
    score: Callable[..., float], *counts: int, seed: int = 0, rounds: int = ROUNDS
) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a score of groups of so many cases each.

    `score` gets one array of positions for each group, drawn with replacement. Equal seeds give
    equal intervals: cases that come in no order are to be sorted first.
    """
    random = np.random.default_rng(seed)
    picks = [random.integers(0, count, size=(rounds, count)) for count in counts]
    drawn = np.array([score(*each) for each in zip(*picks, strict=True)])
    low, high = np.quantile(drawn, (TAIL, 1 - TAIL))
    return float(low), float(high)


def bootstrap_ratios(parts: Floats, wholes: Floats, *, seed: int = 0) -> list[tuple[float, float]]:
    """Return the 95 % bootstrap interval of each column's sum over the sum of the wholes.

    `parts` has a row a case, `wholes` a number a case; cases are drawn with replacement, whole
    rows of them. Where the drawn wholes are nothing the ratio is 0. One case gives no spread.
    """
    drawn = np.concatenate(
        [_ratios(times @ parts, times @ wholes) for times in _drawn_times(len(wholes), seed)]
    )
    lows, highs = np.quantile(drawn, (TAIL, 1 - TAIL), axis=0)
    return list(zip(lows.tolist(), highs.tolist(), strict=True))


def median_interval(values: Floats) -> tuple[float, float] | None:
    """Return the exact 95 % interval of a median by order statistics; None of fewer than six: all
    of so few may lie on one side of it.
    """
    count = len(values)
    logs = np.array([math.lgamma(k + 1) for k in range(count + 1)])
    below = np.cumsum(np.exp(logs[-1] - logs - logs[::-1] - count * math.log(2)))
    rank = int(np.searchsorted(below, TAIL, side="right"))
    if not rank:
        return None
    ordered = np.sort(values)
    return float(ordered[rank - 1]), float(ordered[count - rank])


def _ratios(sums: Floats, totals: Floats) -> Floats:
    known = np.where(totals == 0, 1.0, totals)
    return np.asarray(np.where(totals[:, None] == 0, 0.0, sums / known[:, None]))


def _drawn_times(count: int, seed: int) -> Iterator[Floats]:
    """Yield how often each case is drawn: a row a round, a column a case."""
    if count * ROUNDS <= DRAWN_AT_ONCE:
        yield _kept_times(count, seed).astype(np.float64)
        return
    random = np.random.default_rng(seed)
    for rounds in _portions(ROUNDS, max(1, DRAWN_AT_ONCE // count)):
        yield _times(random, rounds, count).astype(np.float64)


@lru_cache(maxsize=8)
def _kept_times(count: int, seed: int) -> NDArray[np.uint16]:
    """Return the same for few cases: several figures of one page draw the same, 2 MB at most."""
    return _times(np.random.default_rng(seed), ROUNDS, count).astype(np.uint16)


def _times(random: np.random.Generator, rounds: int, count: int) -> NDArray[np.int64]:
    picks = random.integers(0, count, size=(rounds, count)) + count * np.arange(rounds)[:, None]
    return np.bincount(picks.ravel(), minlength=rounds * count).reshape(rounds, count)


def _portions(count: int, most: int) -> Iterator[int]:
    for begins in range(0, count, most):
        yield min(most, count - begins)


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


def _poisson_sum(factorials: Floats, mean: float) -> float:
    """Return the probability of counts from 0 on, of as many as there are logs of factorials."""
    if mean <= 0.0:
        return 1.0
    counts = np.arange(len(factorials))
    return math.fsum(np.exp(counts * math.log(mean) - mean - factorials).tolist())
