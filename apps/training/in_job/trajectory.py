"""Does the loss go on where it was? A jump within a few steps of a recovery is flagged."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from statistics import median
from typing import Final

from apps.diagnosis.stats import MAD_TO_SIGMA
from apps.training.in_job.events import InJobEvent, ReplicaLost, StepCommitted

GUARDED_STEPS: Final = 5
MOST_Z: Final = 5.0
MEMORY: Final = 0.1  # weight of a new step in the moving mean
RECENT_STEPS: Final = 100  # whose differences tell the spread
LEAST_STEPS: Final = 50  # before a loss: in fewer a loss that just begins to fall tells no spread
USUAL_STEPS: Final = 20  # that tell how far a step lies below the moving mean
TINY: Final = 1e-12  # of a mean that is nothing there are no shares
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


def guarded_count(events: Iterable[InJobEvent]) -> int:
    """Return how many losses have enough steps before them, and one after them, to be judged."""
    told = set(events)
    times = [each.at_seconds for each in _with_loss(told)]
    losses = {each.at_seconds for each in told if isinstance(each, ReplicaLost)}
    return sum(
        bisect_right(times, at) >= LEAST_STEPS and bisect_right(times, at) < len(times)
        for at in losses
    )


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
    """Return where the next loss is expected, and how far one step lies from that.

    A loss that falls lies below its moving mean all the time, by a share of it: the usual share is
    taken out. The spread is that of differences between steps, which a slow fall does not widen.
    """
    mean, shares = losses[0], []
    for loss in losses[1:]:
        shares.append((loss - mean) / max(abs(mean), TINY))
        mean += MEMORY * (loss - mean)
    moves = [later - former for former, later in pairwise(losses[-RECENT_STEPS:])]
    usual = median(moves)
    spread = MAD_TO_SIGMA * median(abs(each - usual) for each in moves) / sqrt(2)
    expected = mean + median(shares[-USUAL_STEPS:]) * abs(mean)
    return expected, max(spread, LEAST_SPREAD * abs(expected))
