"""One trace that is replayed in parts: what all cost, what they would ideally, who is who."""

from dataclasses import dataclass

import numpy as np

from apps.diagnosis.stats import Floats, Mask
from apps.training.stragglers.dependencies import DependencyOrder
from apps.training.stragglers.operations import COMMUNICATING, COMPUTING
from apps.training.stragglers.simulation import step_seconds
from apps.training.stragglers.step_trace import StepTrace


@dataclass(frozen=True, slots=True, kw_only=True)
class StepScene:
    """A trace with what its operations cost and would ideally; parts of it are masks."""

    trace: StepTrace
    order: DependencyOrder
    costs: Floats
    ideal: Floats

    def mean_seconds(self, costs: Floats) -> float:
        """Return the mean time of a step at these costs."""
        return float(step_seconds(self.order, costs).mean())

    def kinds(self, wanted: frozenset[str] | set[str]) -> Mask:
        """Return the operations of these kinds, shaped as costs are."""
        is_wanted = np.array([each.kind in wanted for each in self.trace.operations])
        return np.broadcast_to(is_wanted[:, None, None], self.costs.shape)

    def stage(self, number: int) -> Mask:
        """Return the operations of this stage, shaped as costs are."""
        is_there = np.array([each.stage == number for each in self.trace.operations])
        return np.broadcast_to(is_there[:, None, None], self.costs.shape)

    def replica(self, number: int) -> Mask:
        """Return the operations of this replica, shaped as costs are."""
        is_it = np.arange(self.costs.shape[1]) == number
        return np.broadcast_to(is_it[None, :, None], self.costs.shape)


def ideal_costs(trace: StepTrace, costs: Floats, *, without: Mask | None = None) -> Floats:
    """Return what each operation would cost if all of its kind were alike.

    What is masked by `without` does not count, unless there is nothing else of its kind.
    """
    ideal = np.empty_like(costs)
    kinds = np.array([each.kind for each in trace.operations])
    for kind in sorted(set(kinds.tolist())):
        mine = kinds == kind
        usual = np.median if kind in COMMUNICATING else np.mean
        counted = costs[mine] if without is None else costs[mine][~without[mine]]
        ideal[mine] = usual(counted if counted.size else costs[mine])
    return ideal


def evened_costs(scene: StepScene) -> Floats:
    """Return the costs with each pass of a worker as long as its mean pass of that kind."""
    evened = scene.costs.copy()
    for kind in COMPUTING:
        for stage in range(scene.trace.stage_count):
            rows = [
                at
                for at, each in enumerate(scene.trace.operations)
                if each.kind == kind and each.stage == stage
            ]
            if rows:
                evened[rows] = scene.costs[rows].mean(axis=(0, 2))[None, :, None]
    return evened


def persistence(scene: StepScene, replica: int, stage: int) -> float:
    """Return in which share of steps a worker computes above the median of its stage's replicas."""
    mine = scene.kinds(COMPUTING)[:, 0, 0] & scene.stage(stage)[:, 0, 0]
    busy = scene.costs[mine].sum(axis=0)  # shape: replicas, steps
    peers = np.delete(busy, replica, axis=0)
    if not len(peers):
        return 0.0
    return float(np.mean(busy[replica] > 1.1 * np.median(peers, axis=0)))
