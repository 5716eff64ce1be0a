"""From how many nodes on does a metric get worse for each of them?

What scales gives each node the same, however many there are. What is shared gives each less.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Final

SMALL_NODES, LARGE_NODES = 4, 60
DEGRADED: Final = 0.5  # of the value at few nodes
BEGUN: Final = 0.1
LEAST_GROWTH: Final = 4.0  # between the smallest and the largest count that are compared


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledValue:
    """What one node had of a metric in a run of so many nodes."""

    metric: str
    run: str
    node: str
    node_count: int
    value_per_node: float
    is_more_better: bool  # a rate, not a latency


@dataclass(frozen=True, slots=True, kw_only=True)
class Emergence:
    """How a metric changes with the number of nodes; medians per count."""

    metric: str
    medians: Mapping[int, float]
    few_nodes: int  # the counts that are compared
    many_nodes: int
    degraded_share: float  # by which it is worse at many than at few; below 0: better
    is_flagged: bool
    begins_at_nodes: int | None  # the smallest count from which on it is worse, where flagged


def emergence(rows: Iterable[ScaledValue]) -> tuple[Emergence, ...]:
    """Return the metrics that were measured at few and at many nodes, the worst first.

    Rows in any order, each once.
    """
    by_metric: dict[tuple[str, bool], dict[int, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for each in set(rows):
        by_metric[each.metric, each.is_more_better][each.node_count].append(each.value_per_node)
    found = [
        one
        for (metric, is_more), counts in by_metric.items()
        if (one := _judged(metric, counts, is_more_better=is_more))
    ]
    return tuple(sorted(found, key=lambda each: (-each.degraded_share, each.metric)))


def _judged(
    metric: str, counts: Mapping[int, list[float]], *, is_more_better: bool
) -> Emergence | None:
    medians = {count: median(counts[count]) for count in sorted(counts)}
    small = max((each for each in medians if each <= SMALL_NODES), default=min(medians))
    large = min((each for each in medians if each >= LARGE_NODES), default=max(medians))
    if large < LEAST_GROWTH * small or medians[small] <= 0:
        return None
    worse = {
        count: _worse(medians[small], value, is_more_better=is_more_better)
        for count, value in medians.items()
        if small <= count <= large
    }
    is_flagged = worse[large] > DEGRADED
    return Emergence(
        metric=metric,
        medians=medians,
        few_nodes=small,
        many_nodes=large,
        degraded_share=worse[large],
        is_flagged=is_flagged,
        begins_at_nodes=_begin(worse) if is_flagged else None,
    )


def _worse(base: float, value: float, *, is_more_better: bool) -> float:
    return 1 - value / base if is_more_better else value / base - 1


def _begin(worse: Mapping[int, float]) -> int:
    begin = max(worse)
    for count in sorted(worse, reverse=True):
        if worse[count] <= BEGUN:
            break
        begin = count
    return begin
