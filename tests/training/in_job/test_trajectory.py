"""The loss goes on where it was, or it does not."""

from dataclasses import replace

import pytest

from apps.training.in_job.events import InJobEvent, StepCommitted
from apps.training.in_job.trajectory import trajectory_flags
from tests.cast.replica_losses import lossy_run

RUN = lossy_run(losses=1, quiet_steps=60, tail_steps=20, seed=3)
(LOST,) = RUN.lost_steps


def jumped(step: int, by: float = 0.5) -> list[InJobEvent]:
    return [
        replace(each, loss=(each.loss or 0) + by)
        if isinstance(each, StepCommitted) and each.step == step
        else each
        for each in RUN.events
    ]


def test_a_loss_that_goes_on_is_not_flagged() -> None:
    assert trajectory_flags(RUN.events) == ()


@pytest.mark.parametrize("after", [0, 1, 4])
def test_a_jump_within_five_steps_is_flagged_at_its_step(after: int) -> None:
    (flag,) = trajectory_flags(jumped(LOST + after))
    assert flag.step == LOST + after
    assert flag.z > 5


def test_a_jump_later_or_before_is_not_the_recoverys() -> None:
    assert trajectory_flags(jumped(LOST + 5)) == ()
    assert trajectory_flags(jumped(LOST - 1)) == ()


def test_a_fall_is_no_jump() -> None:
    assert trajectory_flags(jumped(LOST, by=-0.5)) == ()


def test_few_steps_tell_no_spread() -> None:
    short = lossy_run(losses=1, quiet_steps=5, seed=3)
    told = [
        replace(each, loss=99.0) if isinstance(each, StepCommitted) and each.step > 9 else each
        for each in short.events
    ]
    assert trajectory_flags(told) == ()


def test_events_in_any_order_and_twice_are_the_same() -> None:
    told = jumped(LOST + 2)
    assert trajectory_flags([*reversed(told), *told]) == trajectory_flags(told)
