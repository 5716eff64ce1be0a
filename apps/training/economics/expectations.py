"""Time to a failure and the share of effective training time, by the published formulas.

Meta, "Revisiting Reliability in Large-Scale Machine Learning Research Clusters" (arXiv:2410.21680):
failures come at a constant rate per node; ETTR holds to the first order, where a failure is rare
within a checkpoint interval.
"""

import math
from dataclasses import dataclass

from apps.diagnosis.intervals import count_interval

DAY_SECONDS = 86400.0
DAY_HOURS = 24.0
GPUS_PER_NODE = 8
# Of Meta's larger cluster, a node-day.
PUBLISHED_FAILURES_PER_NODE_DAY = 6.50e-3
# What was measured there at some sizes: GPUs → hours. No point of the curve: small jobs die of
# other things than nodes. A curve through a measured and a computed number would be of nothing.
MEASURED_ELSEWHERE_HOURS = {8: 47.7 * DAY_HOURS, 1024: 7.9}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedMttf:
    """What a rate of failures promises a job of a size.

    `measured_elsewhere_hours` is what was measured at this size where the published rate comes
    from: where it is known, it goes beside `hours` as a caution.
    """

    gpus: int
    hours: float
    measured_elsewhere_hours: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredMttf:
    """Failures in a time. `interval` is the exact one; it has no upper end where none failed."""

    failures: int
    node_days: float
    run_hours: float

    @property
    def hours(self) -> float | None:
        """Return the hours of running per failure, None where none failed."""
        return self.run_hours / self.failures if self.failures else None

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the hours."""
        low, high = count_interval(self.failures)
        return self.run_hours / high, self.run_hours / low if low else math.inf

    @property
    def failures_per_1000_node_days(self) -> float | None:
        """Return the rate that sizes can be compared by, None where nothing ran."""
        return 1000 * self.failures / self.node_days if self.node_days else None


def measured_mttf(*, failures: int, run_hours: float, nodes: int) -> MeasuredMttf:
    """Return the time to a failure of what ran so long on so many nodes."""
    node_days = run_hours * nodes / DAY_HOURS
    return MeasuredMttf(failures=failures, node_days=node_days, run_hours=run_hours)


def expected_mttf(
    *,
    gpus: int,
    failures_per_node_day: float = PUBLISHED_FAILURES_PER_NODE_DAY,
    gpus_per_node: int = GPUS_PER_NODE,
) -> ExpectedMttf:
    """Return the time to a failure of a job: one over its nodes' rate."""
    rate = failure_rate(gpus, failures_per_node_day, gpus_per_node)
    return ExpectedMttf(
        gpus=gpus,
        hours=DAY_HOURS / rate,
        measured_elsewhere_hours=MEASURED_ELSEWHERE_HOURS.get(gpus),
    )


def failure_rate(
    gpus: int,
    failures_per_node_day: float = PUBLISHED_FAILURES_PER_NODE_DAY,
    gpus_per_node: int = GPUS_PER_NODE,
) -> float:
    """Return the failures a day of a job of a size."""
    return gpus / gpus_per_node * failures_per_node_day


def expected_ettr(
    *, failures_per_day: float, restart_seconds: float, interval_seconds: float, save_seconds: float
) -> float:
    """Return the expected share of effective training time, 0 where nothing would be left.

    Half an interval is lost with each failure, and a restart; each interval costs a save.
    """
    rate = failures_per_day / DAY_SECONDS
    kept = 1 - rate * (restart_seconds + interval_seconds / 2)
    return max(0.0, kept) / (1 + save_seconds / interval_seconds)


def best_interval_seconds(*, failures_per_day: float, save_seconds: float) -> float:
    """Return the time between saves that costs least (Young; Daly to the first order)."""
    return math.sqrt(2 * save_seconds * DAY_SECONDS / failures_per_day)
