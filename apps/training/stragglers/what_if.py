"""What if nobody had been slow: slow-down of a job, and the share that each part of it has.

The method is published with "Understanding Stragglers in Large Model Training Using What-if
Analysis" (OSDI 2025): an operation's ideal duration is the mean over replicas, stages and steps,
of a transfer the median.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np

from apps.diagnosis.stats import Floats, Mask
from apps.training.stragglers.dependencies import dependency_order
from apps.training.stragglers.operations import COMMUNICATING, TOLD_AS
from apps.training.stragglers.pass_lengths import pass_correlation
from apps.training.stragglers.scenes import StepScene, evened_costs, ideal_costs, persistence
from apps.training.stragglers.simulation import costs_seconds, step_seconds
from apps.training.stragglers.step_trace import StepTrace

WORST_SHARE: Final = 0.03  # of the workers, whose part in the slow-down is M_W
MOST_DISCREPANCY: Final = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowWorker:
    """How much longer steps are because of one worker; rank is the lowest of its tensor group."""

    dp_rank: int
    stage: int
    rank: int
    slowdown: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """What the stragglers of one job cost; ratios of mean step times, shares of the slow-down.

    Shares may be below 0 or above 1: fixing one part can uncover another. None: nothing is slow.
    """

    measured_seconds: float
    simulated_seconds: float  # of the unchanged trace, without waits that no operation explains
    ideal_seconds: float
    peers_seconds: float  # ideal by everybody but the worst workers, who lengthen the mean of few
    by_kind: Mapping[str, float]  # S_t
    by_replica: tuple[float, ...]
    by_stage: tuple[float, ...]
    workers: tuple[SlowWorker, ...]  # S_w, the slowest first
    by_step: tuple[float, ...]
    worst_workers_share: float | None  # M_W
    last_stage_share: float | None  # M_S; None with one stage, which is all there is
    network_share: float | None  # of transfers and collectives
    spread_share: float | None  # of passes that differ inside one worker
    pass_correlation: float | None  # forward with backward passes of the same microbatch
    replica_count: int
    worst_persistence: float  # share of steps in which the slowest worker is above its peers
    step_count: int
    incomplete_steps: int

    @property
    def slowdown(self) -> float:
        """Return S: simulated over ideal step time."""
        return self.simulated_seconds / self.ideal_seconds

    @property
    def slowdown_beside_peers(self) -> float:
        """Return simulated step time over the ideal of everybody but the worst workers."""
        return self.simulated_seconds / self.peers_seconds

    @property
    def discrepancy(self) -> float:
        """Return by which share the simulation of the unchanged trace is off."""
        return abs(self.measured_seconds / self.simulated_seconds - 1)

    @property
    def transfer_kinds(self) -> tuple[str, ...]:
        """Return the kinds that move data, the slowest first."""
        moving = {TOLD_AS.get(kind, kind) for kind in COMMUNICATING}
        return tuple(kind for kind in self.by_kind if kind in moving)

    @property
    def is_refused(self) -> bool:
        """Say whether the simulation is too far from what was measured to be believed."""
        return self.discrepancy > MOST_DISCREPANCY


def what_if(trace: StepTrace) -> WhatIf:
    """Return what the stragglers of this trace cost; raises BadTrace for an impossible order."""
    order = dependency_order(trace)
    costs = costs_seconds(trace, order)
    scene = StepScene(trace=trace, order=order, costs=costs, ideal=ideal_costs(trace, costs))
    steps, ideal = step_seconds(order, costs), scene.mean_seconds(scene.ideal)
    by_replica = _each(scene, ideal, [scene.replica(at) for at in range(trace.replica_count)])
    by_stage = _each(scene, ideal, [scene.stage(at) for at in range(trace.stage_count)])
    workers = _workers(trace, by_replica, by_stage)
    worst = _mask_of(scene, workers[: _worst_count(workers)])
    fixed = _Fixed(scene=scene, slow_seconds=float(steps.mean()), ideal_seconds=ideal)
    return WhatIf(
        measured_seconds=float(trace.ends_seconds.max(axis=(0, 1)).mean()),
        simulated_seconds=float(steps.mean()),
        ideal_seconds=ideal,
        peers_seconds=scene.mean_seconds(ideal_costs(trace, costs, without=worst)),
        by_kind=_by_kind(scene, ideal),
        by_replica=by_replica,
        by_stage=by_stage,
        workers=workers,
        by_step=tuple((steps / ideal).tolist()),
        worst_workers_share=fixed.share(worst),
        last_stage_share=fixed.share(scene.stage(trace.stage_count - 1))
        if trace.stage_count > 1
        else None,
        network_share=fixed.share(scene.kinds(COMMUNICATING)),
        spread_share=fixed.share_with(evened_costs(scene)),
        pass_correlation=pass_correlation(trace),
        replica_count=trace.replica_count,
        worst_persistence=persistence(scene, workers[0].dp_rank, workers[0].stage),
        step_count=len(trace.steps),
        incomplete_steps=trace.incomplete_steps,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fixed:
    scene: StepScene
    slow_seconds: float
    ideal_seconds: float

    def share(self, mask: Mask) -> float | None:
        return self.share_with(np.where(mask, self.scene.ideal, self.scene.costs))

    def share_with(self, costs: Floats) -> float | None:
        lost = self.slow_seconds - self.ideal_seconds
        if lost <= 0:
            return None
        return (self.slow_seconds - self.scene.mean_seconds(costs)) / lost


def _each(scene: StepScene, ideal_seconds: float, masks: list[Mask]) -> tuple[float, ...]:
    """Return the slow-down when only what each mask names is as slow as it was."""
    mixed = (np.where(mask, scene.costs, scene.ideal) for mask in masks)
    return tuple(scene.mean_seconds(costs) / ideal_seconds for costs in mixed)


def _by_kind(scene: StepScene, ideal_seconds: float) -> dict[str, float]:
    together: dict[str, set[str]] = {}
    for kind in sorted({each.kind for each in scene.trace.operations}):
        together.setdefault(TOLD_AS.get(kind, kind), set()).add(kind)
    slowdowns = _each(scene, ideal_seconds, [scene.kinds(kinds) for kinds in together.values()])
    found = dict(zip(together, slowdowns, strict=True))
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def _workers(
    trace: StepTrace, by_replica: tuple[float, ...], by_stage: tuple[float, ...]
) -> tuple[SlowWorker, ...]:
    """A worker is as slow as the faster of its replica and its stage."""
    found = [
        SlowWorker(
            dp_rank=replica,
            stage=stage,
            rank=rank,
            slowdown=min(by_replica[replica], by_stage[stage]),
        )
        for (replica, stage), rank in trace.ranks.items()
    ]
    return tuple(sorted(found, key=lambda each: (-each.slowdown, each.rank)))


def _worst_count(workers: tuple[SlowWorker, ...]) -> int:
    return ceil(len(workers) * WORST_SHARE)


def _mask_of(scene: StepScene, workers: tuple[SlowWorker, ...]) -> Mask:
    mask = np.zeros(scene.costs.shape, dtype=np.bool_)
    for each in workers:
        mask |= scene.replica(each.dp_rank) & scene.stage(each.stage)
    return mask
