"""What is left of a job over time: running, or running but degraded.

A job that recovers in place stays RUNNING for its scheduler while its GPUs die: only this lane
shows it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from apps.training.in_job.events import CommunicatorRepaired, InJobEvent, ReplicaLost


class RunState(StrEnum):
    """How a running job is."""

    WHOLE = "whole"
    DEGRADED = "degraded"  # it runs on without some of its GPUs


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneSpan:
    """A time in which as many GPUs were alive."""

    begins_seconds: float
    ends_seconds: float
    alive_gpu_count: int
    state: RunState

    @property
    def is_degraded(self) -> bool:
        """Say whether the job ran on without some of its GPUs."""
        return self.state is RunState.DEGRADED


@dataclass(frozen=True, slots=True, kw_only=True)
class DegradedLane:
    """The spans of a job, and what changed between them: losses, and who joined, by time."""

    spans: tuple[LaneSpan, ...]
    changes: tuple[ReplicaLost | CommunicatorRepaired, ...]
    started_gpu_count: int

    @property
    def state(self) -> RunState:
        """Return how the job is at the end of the lane."""
        return self.spans[-1].state

    @property
    def alive_gpu_count(self) -> int:
        """Return how many GPUs are alive at the end of the lane."""
        return self.spans[-1].alive_gpu_count


def degraded_lane(
    events: Iterable[InJobEvent],
    *,
    gpu_count: int,
    begins_seconds: float,
    ends_seconds: float,
    gpus_per_member: int | None = None,
) -> DegradedLane:
    """Return the lane of one attempt from its begin to its end, or to now.

    Events in any order, also twice. A communicator that grew brings GPUs back only where it is
    known how many a member has. Raises ValueError for an attempt that ends before it begins.
    """
    if ends_seconds < begins_seconds:
        raise ValueError("the attempt ends before it begins")
    changes = sorted(
        {each for each in events if _is_change(each)},
        key=lambda each: (each.at_seconds, repr(each)),
    )
    kept = tuple(each for each in changes if isinstance(each, ReplicaLost | CommunicatorRepaired))
    spans = tuple(_spans(kept, gpu_count, (begins_seconds, ends_seconds), gpus_per_member or 0))
    return DegradedLane(spans=spans, changes=kept, started_gpu_count=gpu_count)


def _is_change(event: InJobEvent) -> bool:
    if isinstance(event, CommunicatorRepaired):
        return event.members_after > event.members_before
    return isinstance(event, ReplicaLost)


def _spans(
    changes: Iterable[ReplicaLost | CommunicatorRepaired],
    gpu_count: int,
    window: tuple[float, float],
    gpus_per_member: int,
) -> Iterator[LaneSpan]:
    """Yield spans that follow each other without a gap; changes outside count at the edge."""
    begin, alive = window[0], gpu_count
    for each in changes:
        at = min(max(each.at_seconds, window[0]), window[1])
        if at > begin:
            yield _span(begin, at, alive, gpu_count)
            begin = at
        alive = max(0, min(gpu_count, alive + _gained(each, gpus_per_member)))
    yield _span(begin, window[1], alive, gpu_count)


def _gained(change: ReplicaLost | CommunicatorRepaired, gpus_per_member: int) -> int:
    if isinstance(change, ReplicaLost):
        return -change.gpu_count
    return (change.members_after - change.members_before) * gpus_per_member


def _span(begin: float, end: float, alive: int, gpu_count: int) -> LaneSpan:
    return LaneSpan(
        begins_seconds=begin,
        ends_seconds=end,
        alive_gpu_count=alive,
        state=RunState.WHOLE if alive == gpu_count else RunState.DEGRADED,
    )
