"""Running, or running but degraded."""

import itertools
from dataclasses import replace

import pytest

from apps.training.in_job.events import CommunicatorRepaired
from apps.training.in_job.lane import DegradedLane, RunState, degraded_lane
from tests.cast.replica_losses import GPUS, LossyRun, lossy_run

RUN = lossy_run(losses=30)


def lane(run: LossyRun = RUN, *, more: tuple[CommunicatorRepaired, ...] = ()) -> DegradedLane:
    return degraded_lane(
        [*reversed(run.events), *run.events, *more],
        gpu_count=GPUS,
        begins_seconds=run.begins_seconds,
        ends_seconds=run.ends_seconds,
        gpus_per_member=1,
    )


def test_every_loss_is_a_step_down() -> None:
    found = lane()
    assert [each.alive_gpu_count for each in found.spans] == [*range(GPUS, GPUS - 31, -1)]
    assert len(found.changes) == 30
    assert found.state is RunState.DEGRADED
    assert [each.state for each in found.spans].count(RunState.WHOLE) == 1


def test_spans_follow_each_other_without_a_gap() -> None:
    spans = lane().spans
    assert spans[0].begins_seconds == RUN.begins_seconds
    assert spans[-1].ends_seconds == RUN.ends_seconds
    for former, later in itertools.pairwise(spans):
        assert former.ends_seconds == later.begins_seconds


def test_who_joins_brings_gpus_back_and_never_more_than_there_were() -> None:
    joined = CommunicatorRepaired(
        at_seconds=RUN.ends_seconds - 1,
        epoch=99,
        members_before=GPUS - 30,
        members_after=GPUS,
        milliseconds=None,
    )
    assert lane(more=(joined,)).alive_gpu_count == GPUS
    assert lane(more=(joined,)).state is RunState.WHOLE
    assert lane(more=(replace(joined, members_after=9999),)).alive_gpu_count == GPUS


def test_hours_are_those_of_the_living() -> None:
    found = degraded_lane([], gpu_count=8, begins_seconds=0, ends_seconds=3600)
    assert found.alive_gpu_hours == 8
    assert found.state is RunState.WHOLE
    assert lane().alive_gpu_hours < GPUS * RUN.ends_seconds / 3600


def test_an_end_before_the_begin_is_refused() -> None:
    with pytest.raises(ValueError, match="ends before it begins"):
        degraded_lane([], gpu_count=8, begins_seconds=5, ends_seconds=4)
