"""What a job began with: GPUs, replicas, microbatches, and what a restart would take."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from apps.training.in_job.events import (
    CommunicatorRepaired,
    InJobEvent,
    ReplicaLost,
    StepCommitted,
)
from apps.training.in_job.throughput import RestartCost


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTerms:
    """What is known of a job's begin. None: not told."""

    gpus: int | None = None
    replicas: int | None = None
    microbatches_each: int | None = None  # of a replica, a step
    may_rejoin: bool | None = None
    restart_seconds: float | None = None
    checkpoint_every_steps: int | None = None

    @property
    def cost(self) -> RestartCost | None:
        """Return what a restart takes, where it is told whole."""
        if self.restart_seconds is None or self.checkpoint_every_steps is None:
            return None
        return RestartCost(
            restart_seconds=self.restart_seconds,
            checkpoint_every_steps=self.checkpoint_every_steps,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Invariant:
    """How many microbatches each step has to sum up, and how that is known."""

    microbatches: int
    is_told: bool  # False: all steps before the first loss agree on it


def invariant_of(terms: JobTerms, events: Sequence[InJobEvent]) -> Invariant | None:
    """Return replicas x microbatches as told, else what the steps before the first loss agree on.

    None where neither says it: nothing is judged then.
    """
    if terms.replicas and terms.microbatches_each:
        return Invariant(microbatches=terms.replicas * terms.microbatches_each, is_told=True)
    losses = [each.at_seconds for each in events if isinstance(each, ReplicaLost)]
    first = min(losses, default=None)
    before = {
        each.microbatches
        for each in events
        if isinstance(each, StepCommitted) and each.microbatches is not None
        if first is None or each.at_seconds < first
    }
    return Invariant(microbatches=before.pop(), is_told=False) if len(before) == 1 else None


def gpus_of_member(terms: JobTerms, gpu_count: int | None, events: Iterable[InJobEvent]) -> int:
    """Return how many GPUs a member of the communicator has; 0 where that is not known."""
    repairs = [each for each in events if isinstance(each, CommunicatorRepaired)]
    first = min(repairs, key=lambda each: (each.at_seconds, each.epoch), default=None)
    members = terms.replicas or (first.members_before if first else 0)
    if not gpu_count or not members or gpu_count % members:
        return 0
    return gpu_count // members
