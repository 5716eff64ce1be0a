"""What a run that recovers in place comes to: its lane, what its steps break, what it was worth."""

from dataclasses import dataclass
from typing import Final

from apps.training.in_job.events import CommunicatorRepaired, InJobEvent, ReplicaLost
from apps.training.in_job.invariant import StepViolation, ViolationKind, violations_of
from apps.training.in_job.job_run import InJobRun
from apps.training.in_job.job_terms import Invariant, gpus_of_member, invariant_of
from apps.training.in_job.lane import DegradedLane, degraded_lane
from apps.training.in_job.restarts import LossNotSurvived, not_survived
from apps.training.in_job.throughput import (
    RunEfficiency,
    restart_counterfactual,
    run_efficiency,
)
from apps.training.in_job.trajectory import TrajectoryFlag, guarded_count, trajectory_flags

FEW: Final = 2  # fewer steps make no line
NOBODY_TELLS: Final = -1  # how many microbatches a step has to sum up
COUNTED: Final = frozenset({ViolationKind.MICROBATCHES, ViolationKind.QUOTA})


@dataclass(frozen=True, slots=True, kw_only=True)
class InJobReport:
    """What is said of one attempt. None: not told, so not judged."""

    run: InJobRun
    lane: DegradedLane | None  # None: how many GPUs it began with is not told
    lost_gpu_count: int
    invariant: Invariant | None
    violations: tuple[StepViolation, ...]
    not_survived: tuple[LossNotSurvived, ...]
    efficiency: RunEfficiency | None  # None: no step tells its tokens
    counterfactual: RunEfficiency | None  # None: what a restart takes is not told
    flags: tuple[TrajectoryFlag, ...]
    has_losses_of_model: bool  # whether any step tells its training loss
    guarded_count: int  # losses before which enough steps tell theirs


def job_report(
    run: InJobRun,
    *,
    world_size: int | None,
    begins_seconds: float | None,
    ends_seconds: float,
) -> InJobReport:
    """Return what a run comes to until its end, or until now."""
    gpus = run.terms.gpus or world_size
    lane = lane_of(run, gpu_count=gpus, begins_seconds=begins_seconds, ends_seconds=ends_seconds)
    invariant = invariant_of(run.terms, run.events)
    has_tokens = sum(each.tokens is not None for each in run.commits) >= FEW
    cost = run.terms.cost
    return InJobReport(
        run=run,
        lane=lane,
        lost_gpu_count=lost_gpus(run, lane),
        invariant=invariant,
        violations=_violations(run, invariant),
        not_survived=not_survived(run.events, run.restarts),
        efficiency=run_efficiency(run.events, lane) if lane and has_tokens else None,
        counterfactual=restart_counterfactual(run.events, lane, cost)
        if lane and has_tokens and cost and run.losses
        else None,
        flags=trajectory_flags(run.events),
        has_losses_of_model=any(each.loss is not None for each in run.commits),
        guarded_count=guarded_count(run.events),
    )


def lane_of(
    run: InJobRun,
    *,
    gpu_count: int | None,
    begins_seconds: float | None,
    ends_seconds: float,
) -> DegradedLane | None:
    """Return the lane of a run, None where nobody told with how many GPUs it began."""
    if not gpu_count or not run.events:
        return None
    first, last = run.events[0].at_seconds, run.events[-1].at_seconds
    begins = first if begins_seconds is None else min(begins_seconds, first)
    return degraded_lane(
        run.events,
        gpu_count=gpu_count,
        begins_seconds=begins,
        ends_seconds=max(ends_seconds, last, begins),
        gpus_per_member=gpus_of_member(run.terms, gpu_count, run.events) or None,
    )


def lost_gpus(run: InJobRun, lane: DegradedLane | None) -> int:
    """Return how many GPUs are gone at the end of the lane, all that were lost without one."""
    if lane is not None:
        return lane.started_gpu_count - lane.alive_gpu_count
    return sum(each.gpu_count for each in run.losses)


def survived(run: InJobRun) -> tuple[ReplicaLost, ...]:
    """Return the losses after which a step was taken by who was left, by time."""
    last = max((each.at_seconds for each in run.commits), default=None)
    if last is None:
        return ()
    restarted = {each.lost for each in not_survived(run.events, run.restarts)}
    return tuple(each for each in run.losses if each.at_seconds < last and each not in restarted)


def _violations(run: InJobRun, invariant: Invariant | None) -> tuple[StepViolation, ...]:
    may_rejoin = bool(run.terms.may_rejoin) or any(map(_has_grown, run.events))
    told = violations_of(
        run.events,
        microbatches=invariant.microbatches if invariant else NOBODY_TELLS,
        may_rejoin=may_rejoin,
    )
    return tuple(each for each in told if invariant or each.kind not in COUNTED)


def _has_grown(event: InJobEvent) -> bool:
    return isinstance(event, CommunicatorRepaired) and event.members_after > event.members_before
