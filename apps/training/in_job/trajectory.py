"""Does the loss go on where it was? A jump within a few steps of a recovery is flagged."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from apps.training.in_job.events import InJobEvent, ReplicaLost, StepCommitted

GUARDED_STEPS: Final = 5
MOST_Z: Final = 5.0
MEMORY: Final = 0.05  # weight of a new step in the mean and the spread
LEAST_STEPS: Final = 20  # before a loss: fewer tell no spread
LEAST_SPREAD: Final = 1e-4  # of the mean; what repeats to the last digit has no noise


@dataclass(frozen=True, slots=True, kw_only=True)
class TrajectoryFlag:
    """A step after a loss whose training loss jumped above what it was before."""

    lost_at_seconds: float
    step: int
    loss: float
    expected_loss: float
    z: float


def trajectory_flags(events: Iterable[InJobEvent]) -> tuple[TrajectoryFlag, ...]:
    """Return the first jump within five steps of each loss; events in any order, also twice."""
    told = set(events)
    commits = _with_loss(told)
    losses = sorted({each.at_seconds for each in told if isinstance(each, ReplicaLost)})
    flags = (_flag(at, commits) for at in losses)
    return tuple(each for each in flags if each is not None)


def _with_loss(events: Iterable[InJobEvent]) -> list[StepCommitted]:
    first: dict[int, StepCommitted] = {}
    told = [each for each in events if isinstance(each, StepCommitted) and each.loss is not None]
    for each in sorted(told, key=lambda each: (each.at_seconds, each.step, repr(each))):
        first.setdefault(each.step, each)
    return list(first.values())


def _flag(at: float, commits: Sequence[StepCommitted]) -> TrajectoryFlag | None:
    before = [each.loss for each in commits if each.at_seconds <= at and each.loss is not None]
    after = [each for each in commits if each.at_seconds > at][:GUARDED_STEPS]
    if len(before) < LEAST_STEPS:
        return None
    mean, spread = _usual(before)
    for each in after:
        loss = each.loss or 0.0
        z = (loss - mean) / spread
        if z > MOST_Z:
            return TrajectoryFlag(
                lost_at_seconds=at, step=each.step, loss=loss, expected_loss=mean, z=z
            )
    return None


def _usual(losses: Sequence[float]) -> tuple[float, float]:
    """Return the moving mean of the losses, and how far one step lies from it."""
    head = losses[:LEAST_STEPS]
    mean = sum(head) / len(head)
    variance = sum((each - mean) ** 2 for each in head) / (len(head) - 1)
    for loss in losses[LEAST_STEPS:]:
        off = loss - mean
        mean += MEMORY * off
        variance = (1 - MEMORY) * (variance + MEMORY * off**2)
    return mean, max(sqrt(variance), LEAST_SPREAD * abs(mean))
