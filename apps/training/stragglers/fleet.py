"""Stragglers over many jobs: how many straggle, what it costs, and whom they ask for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from apps.diagnosis.intervals import wilson
from apps.training.stragglers.verdict import STRAGGLING, StragglerCause


@dataclass(frozen=True, slots=True, kw_only=True)
class StragglingJob:
    """One job that was looked at. `slowdown` is its S."""

    job: str
    slowdown: float
    gpu_hours: float
    cause: StragglerCause

    @property
    def wasted_share(self) -> float:
        """Return which share of its GPU-hours the slow-down took: 1 - 1/S, never below 0."""
        return max(0.0, 1 - 1 / self.slowdown)


@dataclass(frozen=True, slots=True, kw_only=True)
class StragglerFleet:
    """The table over jobs. Refused jobs are counted beside, never in a share."""

    job_count: int
    refused_count: int
    straggling_count: int  # S > 1.1
    straggling_interval: tuple[float, float]  # 95 %, Wilson
    gpu_hours: float
    wasted_gpu_hours: float
    wasted_shares: Mapping[int, float]  # percentile of jobs → share of their GPU-hours
    causes: Mapping[StragglerCause, int]  # of the straggling jobs

    @property
    def straggling_share(self) -> float | None:
        """Return which share of the jobs straggles; None without jobs."""
        return self.straggling_count / self.job_count if self.job_count else None

    @property
    def wasted_share(self) -> float | None:
        """Return which share of all GPU-hours was wasted; None without GPU-hours."""
        return self.wasted_gpu_hours / self.gpu_hours if self.gpu_hours else None


PERCENTILES = (50, 90, 99)


def fleet_table(jobs: Iterable[StragglingJob]) -> StragglerFleet:
    """Return the table of a set of jobs; of one told twice the highest S counts."""
    by_name = {each.job: each for each in sorted(jobs, key=lambda each: (each.job, each.slowdown))}
    kept = [each for each in by_name.values() if each.cause is not StragglerCause.REFUSED]
    slow = [each for each in kept if each.slowdown > STRAGGLING]
    wasted = np.array([each.wasted_share for each in kept])
    return StragglerFleet(
        job_count=len(kept),
        refused_count=len(by_name) - len(kept),
        straggling_count=len(slow),
        straggling_interval=wilson(len(slow), len(kept)),
        gpu_hours=sum(each.gpu_hours for each in kept),
        wasted_gpu_hours=sum(each.gpu_hours * each.wasted_share for each in kept),
        wasted_shares={at: float(np.percentile(wasted, at)) for at in PERCENTILES if kept},
        causes={
            cause: count
            for cause in StragglerCause
            if (count := sum(1 for each in slow if each.cause is cause))
        },
    )
