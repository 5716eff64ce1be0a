"""What running on was worth beside restarts."""

import numpy as np
import pytest

from apps.training.in_job.events import ReplicaLost, StepCommitted
from apps.training.in_job.lane import DegradedLane, degraded_lane
from apps.training.in_job.throughput import RestartCost, restart_counterfactual, run_efficiency
from tests.cast.replica_losses import GPUS, LossyRun, comparison, lossy_run

COST = RestartCost(restart_seconds=600, checkpoint_every_steps=5)


def lane(run: LossyRun) -> DegradedLane:
    return degraded_lane(
        run.events, gpu_count=GPUS, begins_seconds=0, ends_seconds=run.ends_seconds
    )


def test_both_ratios_are_found_as_they_are() -> None:
    made = comparison(throughput_ratio=2.23, tokens_ratio=1.749, budget_gpu_hours=234)
    events = made.run.events
    cost = RestartCost(
        restart_seconds=made.restart_seconds, checkpoint_every_steps=made.checkpoint_every_steps
    )
    mine = run_efficiency(events, lane(made.run))
    other = restart_counterfactual(events, lane(made.run), cost)
    ratio = mine.tokens_per_gpu_hour / other.tokens_per_gpu_hour
    assert made.restart_seconds > 0
    assert ratio == pytest.approx(2.23, rel=0.005)
    at = (mine.tokens_at(234), other.tokens_at(234))
    assert None not in at
    assert float(at[0] or 0) / float(at[1] or 1) == pytest.approx(1.749, rel=0.005)


def test_a_run_without_losses_loses_nothing() -> None:
    run = lossy_run(losses=0, quiet_steps=30)
    assert restart_counterfactual(run.events, lane(run), COST) == run_efficiency(
        run.events, lane(run)
    )


def test_losses_at_one_instant_stop_the_job_once() -> None:
    run = lossy_run(losses=1)
    (lost,) = [each for each in run.events if isinstance(each, ReplicaLost)]
    twin = ReplicaLost(
        at_seconds=lost.at_seconds, replica="other", step=None, phase="", gpu_count=1
    )
    one = restart_counterfactual(run.events, lane(run), COST)
    both = restart_counterfactual([*run.events, twin], lane(run), COST)
    assert both == one


def test_events_in_any_order_and_twice_are_the_same() -> None:
    run = lossy_run(losses=6)
    order = np.random.default_rng(1).permutation(2 * len(run.events)).tolist()
    mixed = [(*run.events, *run.events)[at] for at in order]
    for made in (run_efficiency(run.events, lane(run)), run_efficiency(mixed, lane(run))):
        assert made == run_efficiency(run.events, lane(run))
    assert restart_counterfactual(mixed, lane(run), COST) == restart_counterfactual(
        run.events, lane(run), COST
    )


def test_a_budget_beyond_what_was_spent_has_no_answer() -> None:
    run = lossy_run(losses=2)
    found = run_efficiency(run.events, lane(run))
    assert found.tokens_at(found.gpu_hours[-1] + 1) is None
    assert found.tokens_at(found.gpu_hours[-1]) == found.tokens[-1]
    assert found.tokens_at(0) == 0


def test_a_run_without_commits_brought_nothing() -> None:
    found = run_efficiency([], lane(lossy_run(losses=2)))
    assert found.tokens_per_gpu_hour == 0
    assert found.tokens_at(0) is None


def test_a_step_that_is_told_again_later_counts_when_it_was_taken() -> None:
    run = lossy_run(losses=0, quiet_steps=4)
    first = next(each for each in run.events if isinstance(each, StepCommitted))
    again = StepCommitted(
        at_seconds=run.ends_seconds, step=first.step, microbatches=1, survivors=1, tokens=5
    )
    assert run_efficiency([*run.events, again], lane(run)) == run_efficiency(run.events, lane(run))
