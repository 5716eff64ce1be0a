"""As many microbatches each step, one commit a step."""

from dataclasses import replace

import numpy as np
import pytest

from apps.training.in_job.events import (
    CommunicatorRepaired,
    InJobEvent,
    QuotaReassigned,
    StepCommitted,
)
from apps.training.in_job.invariant import StepViolation, ViolationKind, violations_of
from tests.cast.replica_losses import MICROBATCHES, lossy_run

RUN = lossy_run(losses=20)


def changed(step: int, **changes: int) -> list[InJobEvent]:
    return [
        replace(each, **changes) if isinstance(each, StepCommitted) and each.step == step else each
        for each in RUN.events
    ]


def found(events: list[InJobEvent]) -> tuple[StepViolation, ...]:
    return violations_of(events, microbatches=MICROBATCHES)


def test_a_run_that_keeps_the_invariant_has_no_violation() -> None:
    assert found(list(RUN.events)) == ()


@pytest.mark.parametrize("off", [-1, 1])
def test_one_microbatch_off_is_found_at_its_step(off: int) -> None:
    (one,) = found(changed(42, microbatches=MICROBATCHES + off))
    assert one == StepViolation(
        kind=ViolationKind.MICROBATCHES,
        step=42,
        found=MICROBATCHES + off,
        expected=MICROBATCHES,
    )


def test_a_second_commit_of_a_step_is_found_and_a_doubled_message_is_none() -> None:
    commit = next(each for each in RUN.events if isinstance(each, StepCommitted))
    assert found([*RUN.events, commit]) == ()
    (one,) = found([*RUN.events, replace(commit, at_seconds=commit.at_seconds + 1)])
    assert (one.kind, one.step, one.found) == (ViolationKind.COMMITTED_TWICE, commit.step, 2)


def test_a_step_without_a_commit_is_found() -> None:
    left = [each for each in RUN.events if getattr(each, "step", 0) != 30]
    assert [(each.kind, each.step) for each in found(left)] == [(ViolationKind.SKIPPED, 31)]


def test_survivors_only_grow_where_somebody_may_join() -> None:
    grown = changed(42, survivors=512)
    assert {each.kind for each in found(grown)} == {ViolationKind.SURVIVORS}
    assert violations_of(grown, microbatches=MICROBATCHES, may_rejoin=True) == ()


def test_a_quota_that_does_not_sum_up_is_found() -> None:
    total = MICROBATCHES + 1
    wrong = QuotaReassigned(at_seconds=0, step=9, quotas=(("a", total),), spare=None, minor=None)
    (one,) = found([*RUN.events, wrong])
    assert (one.kind, one.step, one.found) == (ViolationKind.QUOTA, 9, total)


def test_what_a_commit_does_not_tell_is_not_judged() -> None:
    silent = StepCommitted(at_seconds=1, step=1, microbatches=None, survivors=None, tokens=None)
    assert found([silent]) == ()


def test_events_in_any_order_and_twice_are_the_same() -> None:
    told = changed(42, microbatches=1)
    order = np.random.default_rng(1).permutation(2 * len(told)).tolist()
    assert found([[*told, *told][at] for at in order]) == found(told)


def _quota(*counts: int) -> QuotaReassigned:
    quotas = tuple((f"dp{number}", count) for number, count in enumerate(counts))
    return QuotaReassigned(at_seconds=20, step=9, quotas=quotas, spare=None, minor=None)


def _repaired(at_seconds: float, members: int) -> CommunicatorRepaired:
    return CommunicatorRepaired(
        at_seconds=at_seconds,
        epoch=int(at_seconds),
        members_before=members + 1,
        members_after=members,
        milliseconds=None,
    )


@pytest.mark.parametrize(
    ("counts", "told", "is_found"),
    [
        ((3, 3), [_repaired(10, 3)], False),  # one of three is not named
        ((3, 3), [_repaired(10, 2)], True),  # all are
        ((3, 3), [_repaired(30, 3), _repaired(10, 2)], True),  # what came later says nothing
        ((7, 3), [_repaired(10, 3)], True),  # too much already
        ((3, 3), [], True),  # who is left is not known: it stands for all
    ],
)
def test_a_quota_that_names_some_of_who_is_left_is_not_summed_up(
    *, counts: tuple[int, ...], told: list[CommunicatorRepaired], is_found: bool
) -> None:
    found = violations_of([_quota(*counts), *told], microbatches=9)
    assert [each.kind for each in found] == [ViolationKind.QUOTA] * is_found


def test_who_is_left_is_known_by_the_commit_of_the_step_too() -> None:
    commit = StepCommitted(at_seconds=25, step=9, microbatches=9, survivors=3, tokens=None)
    assert violations_of([_quota(3, 3), commit], microbatches=9) == ()
