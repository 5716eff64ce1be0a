"""How often chains recover, by whom they were started, and whether that differs."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from apps.diagnosis.intervals import HitShare
from apps.training.retries.chains import ChainOutcome, RetryChain

SIGNIFICANT = 0.05
# Rounding must not take a table for less likely than one that is as likely.
ALIKE = 1 + 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainShare:
    """Chains of one kind: how many recovered, of how many starts, after which waits."""

    recovered: HitShare
    attempts: int
    gap_seconds: tuple[float, float, float] | None  # quartiles of the waits, None of none
    gpu_hours: float
    burnt_gpu_hours: float | None  # of the chains of which it is known; None: of none
    burnt_unknown: int  # chains of which it is not


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryRates:
    """Automatic chains beside those by hand, and whether their shares differ.

    `ratio` is None where either share is of nothing or is divided by none. `p_value` is Fisher's,
    of both sides.
    """

    automatic: ChainShare
    manual: ChainShare
    ratio: float | None
    p_value: float

    @property
    def is_significant(self) -> bool:
        """Say whether so different shares would come about by chance less than once in 20."""
        return self.p_value < SIGNIFICANT

    @property
    def words(self) -> str:
        """Return what may be said of the difference: nothing more than this."""
        return "significant" if self.is_significant else "not significant"


def retry_rates(chains: Iterable[RetryChain]) -> RetryRates:
    """Return how often chains recover. Those that go on are in no share: they may yet recover."""
    over = [chain for chain in chains if chain.outcome is not ChainOutcome.GOES_ON]
    automatic = _share([chain for chain in over if chain.is_automatic])
    manual = _share([chain for chain in over if not chain.is_automatic])
    first, second = automatic.recovered, manual.recovered
    known = first.rate is not None and bool(second.rate)
    return RetryRates(
        automatic=automatic,
        manual=manual,
        ratio=(first.rate or 0.0) / second.rate if known and second.rate else None,
        p_value=fisher(first, second),
    )


def fisher(first: HitShare, second: HitShare) -> float:
    """Return the probability of shares that differ at least so much, were they alike."""
    hits = first.hits + second.hits
    lowest, highest = max(0, hits - second.n), min(hits, first.n)
    weights = {
        count: math.comb(first.n, count) * math.comb(second.n, hits - count)
        for count in range(lowest, highest + 1)
    }
    seen = weights[first.hits] * ALIKE
    return sum(weight for weight in weights.values() if weight <= seen) / sum(weights.values())


def _share(chains: Sequence[RetryChain]) -> ChainShare:
    recovered = sum(chain.outcome is ChainOutcome.RECOVERED for chain in chains)
    gaps = [retry.gap_seconds for chain in chains for retry in chain.retries]
    burnt = [each.burnt_gpu_hours for each in chains if each.burnt_gpu_hours is not None]
    return ChainShare(
        recovered=HitShare(hits=recovered, n=len(chains)),
        attempts=len(gaps),
        gap_seconds=_quartiles(gaps),
        gpu_hours=math.fsum(chain.gpu_hours for chain in chains),
        burnt_gpu_hours=math.fsum(burnt) if burnt or not chains else None,
        burnt_unknown=len(chains) - len(burnt),
    )


def _quartiles(values: Sequence[float]) -> tuple[float, float, float] | None:
    if not values:
        return None
    low, middle, high = np.quantile(np.array(values), (0.25, 0.5, 0.75)).tolist()
    return low, middle, high
