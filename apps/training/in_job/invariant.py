"""Is each step what it would have been without the loss? As many microbatches, one commit a step.

An optimizer step that sums as many microbatches as before the loss is, statistically, the same
step: the sum is the replicas at the start times the microbatches that each of them did.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from apps.training.in_job.events import (
    CommunicatorRepaired,
    InJobEvent,
    QuotaReassigned,
    StepCommitted,
)


class ViolationKind(StrEnum):
    """What a step breaks."""

    MICROBATCHES = "microbatches"  # other than the invariant
    QUOTA = "quota"  # what was reassigned does not sum up to it
    COMMITTED_TWICE = "committed-twice"
    SKIPPED = "skipped"  # steps between two commits have none
    SURVIVORS = "survivors"  # more than before, though nobody joined


@dataclass(frozen=True, slots=True, kw_only=True)
class StepViolation:
    """One step that breaks an invariant, with what was found and what was due."""

    kind: ViolationKind
    step: int
    found: int
    expected: int


def violations_of(
    events: Iterable[InJobEvent], *, microbatches: int, may_rejoin: bool = False
) -> tuple[StepViolation, ...]:
    """Return what the steps of one attempt break, in their order; events in any order, also twice.

    `microbatches` is the invariant: replicas x microbatches of each when the job began. What a
    commit does not tell is not judged, and of a quota that leaves out some of the replicas that are
    known to be left only that it is not too much.
    """
    commits: dict[int, set[StepCommitted]] = defaultdict(set)
    quotas: set[QuotaReassigned] = set()
    repairs: set[CommunicatorRepaired] = set()
    for each in events:
        if isinstance(each, StepCommitted):
            commits[each.step].add(each)
        elif isinstance(each, QuotaReassigned):
            quotas.add(each)
        elif isinstance(each, CommunicatorRepaired):
            repairs.add(each)
    found = {
        *_of_commits(commits, microbatches),
        *_of_quotas(quotas, microbatches, _Left(repairs=repairs, commits=commits)),
        *_skipped(sorted(commits)),
    }
    if not may_rejoin:
        found.update(_grown(commits))
    return tuple(sorted(found, key=lambda each: (each.step, each.kind, each.found)))


def _of_commits(
    commits: dict[int, set[StepCommitted]], microbatches: int
) -> Iterable[StepViolation]:
    for step, told in commits.items():
        if len(told) > 1:
            yield StepViolation(
                kind=ViolationKind.COMMITTED_TWICE, step=step, found=len(told), expected=1
            )
        for each in told:
            if each.microbatches not in {None, microbatches}:
                yield StepViolation(
                    kind=ViolationKind.MICROBATCHES,
                    step=step,
                    found=each.microbatches or 0,
                    expected=microbatches,
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Left:
    """What tells how many replicas are left."""

    repairs: set[CommunicatorRepaired]
    commits: Mapping[int, set[StepCommitted]]

    def count(self, quota: QuotaReassigned) -> int | None:
        """Return how many a quota was for; None where nobody tells."""
        told = [
            each.survivors
            for each in self.commits.get(quota.step, ())
            if each.survivors is not None
        ]
        former = [each for each in self.repairs if each.at_seconds <= quota.at_seconds]
        last = max(former, key=lambda each: (each.at_seconds, each.epoch), default=None)
        return max(told, default=last.members_after if last else None)


def _of_quotas(
    quotas: Iterable[QuotaReassigned], microbatches: int, left: _Left
) -> Iterable[StepViolation]:
    for each in quotas:
        total = sum(count for _, count in each.quotas)
        is_part = len(each.quotas) < (left.count(each) or 0)
        if total > microbatches or (total < microbatches and not is_part):
            yield StepViolation(
                kind=ViolationKind.QUOTA, step=each.step, found=total, expected=microbatches
            )


def _skipped(steps: list[int]) -> Iterable[StepViolation]:
    for former, later in pairwise(steps):
        if later != former + 1:
            yield StepViolation(
                kind=ViolationKind.SKIPPED, step=later, found=later, expected=former + 1
            )


def _grown(commits: dict[int, set[StepCommitted]]) -> Iterable[StepViolation]:
    fewest: int | None = None
    for step in sorted(commits):
        told = [each.survivors for each in commits[step] if each.survivors is not None]
        if not told:
            continue
        if fewest is not None and max(told) > fewest:
            yield StepViolation(
                kind=ViolationKind.SURVIVORS, step=step, found=max(told), expected=fewest
            )
        fewest = min(told) if fewest is None else min(fewest, *told)
