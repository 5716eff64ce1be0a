"""What running on was worth: tokens per living GPU, beside a restart at each loss.

Effective throughput is tokens / (runtime x living GPUs). The counterfactual is the same work on the
same GPUs, where each loss stops the job, loads the last checkpoint and does again what came after.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from apps.diagnosis.stats import Floats
from apps.training.in_job.events import InJobEvent, ReplicaLost, StepCommitted
from apps.training.in_job.lane import DegradedLane


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartCost:
    """What a restart takes: until its first step, and how often a checkpoint is saved."""

    restart_seconds: float
    checkpoint_every_steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEfficiency:
    """Tokens by the GPU-hours that were spent until each commit, both growing."""

    gpu_hours: tuple[float, ...]
    tokens: tuple[float, ...]

    @property
    def tokens_per_gpu_hour(self) -> float:
        """Return the effective throughput of the whole run; 0 before the first commit."""
        return self.tokens[-1] / self.gpu_hours[-1] if self.gpu_hours else 0.0

    def tokens_at(self, gpu_hours: float) -> float | None:
        """Return the tokens that so many GPU-hours brought, None beyond what was spent."""
        if not self.gpu_hours or gpu_hours > self.gpu_hours[-1]:
            return None
        return float(np.interp(gpu_hours, (0.0, *self.gpu_hours), (0.0, *self.tokens)))


def run_efficiency(events: Iterable[InJobEvent], lane: DegradedLane) -> RunEfficiency:
    """Return what the commits of a run brought; those without tokens bring none."""
    commits = _commits(events)
    return RunEfficiency(
        gpu_hours=tuple(_spent_hours(lane, commits).tolist()), tokens=_summed(commits)
    )


def restart_counterfactual(
    events: Iterable[InJobEvent], lane: DegradedLane, cost: RestartCost
) -> RunEfficiency:
    """Return what the same steps would have cost if each loss had stopped the job.

    Steps since the last multiple of `checkpoint_every_steps` are done again, at the pace that they
    had. Losses at one instant stop the job once.
    """
    told = list(events)
    commits, stops = _commits(told), _stops(told)
    times = [each.at_seconds for each in commits]
    added = np.array([0.0, *accumulate(_extra_hours(at, commits, lane, cost) for at in stops)])
    hours = _spent_hours(lane, commits) + added[np.searchsorted(stops, times, side="right")]
    return RunEfficiency(gpu_hours=tuple(hours.tolist()), tokens=_summed(commits))


def _commits(events: Iterable[InJobEvent]) -> list[StepCommitted]:
    """Return the first commit of each step, by time."""
    first: dict[int, StepCommitted] = {}
    told = {each for each in events if isinstance(each, StepCommitted)}
    for each in sorted(told, key=lambda each: (each.at_seconds, each.step, repr(each))):
        first.setdefault(each.step, each)
    return list(first.values())


def _stops(events: Iterable[InJobEvent]) -> list[float]:
    return sorted({each.at_seconds for each in events if isinstance(each, ReplicaLost)})


def _summed(commits: Sequence[StepCommitted]) -> tuple[float, ...]:
    return tuple(accumulate(float(each.tokens or 0) for each in commits))


def _spent_hours(lane: DegradedLane, commits: Sequence[StepCommitted]) -> Floats:
    """Return the GPU-hours of the living GPUs until each commit."""
    edges = [lane.spans[0].begins_seconds, *(each.ends_seconds for each in lane.spans)]
    hours = [
        (each.ends_seconds - each.begins_seconds) * each.alive_gpu_count / 3600
        for each in lane.spans
    ]
    spent: Floats = np.interp(
        [each.at_seconds for each in commits], edges, [0.0, *accumulate(hours)]
    )
    return spent


def _extra_hours(
    at: float, commits: Sequence[StepCommitted], lane: DegradedLane, cost: RestartCost
) -> float:
    """Return the GPU-hours of one restart: waiting, and doing again what was lost."""
    ends = [each.ends_seconds for each in lane.spans]
    span = lane.spans[min(bisect_right(ends, at), len(ends) - 1)]
    done = bisect_right(commits, at, key=lambda each: each.at_seconds)
    kept = next(
        (each for each in reversed(commits[:done]) if each.step % cost.checkpoint_every_steps == 0),
        None,
    )
    since = kept.at_seconds if kept else lane.spans[0].begins_seconds
    return (cost.restart_seconds + max(0.0, at - since)) * span.alive_gpu_count / 3600
