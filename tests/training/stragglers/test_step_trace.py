"""Tables of operations: what is left out, and what is refused with its reason."""

from typing import Any

import pytest

from apps.training.stragglers.dependencies import dependency_order
from apps.training.stragglers.step_trace import BadTrace, step_trace
from tests.cast.step_traces import Job, draw


def columns(**changed: Any) -> dict[str, list[Any]]:
    return {**draw(Job(seed=1, replicas=2, stages=2, steps=3)).columns, **changed}


def without(wanted: Any) -> dict[str, list[Any]]:
    told = columns()
    kept = [at for at in range(len(told["step"])) if not wanted(told, at)]
    return {name: [cells[at] for at in kept] for name, cells in told.items()}


def test_a_step_that_not_all_tell_of_is_left_out() -> None:
    trace = step_trace(
        without(lambda told, at: told["step"][at] == 101 and told["dp_rank"][at] == 1)
    )
    assert trace.steps == (100, 102)
    assert trace.incomplete_steps == 1


def test_when_no_step_is_complete_what_lacks_is_named() -> None:
    holes = without(lambda told, at: told["optype"][at] == "optimizer" and told["dp_rank"][at] == 1)
    with pytest.raises(BadTrace, match="lacking: optimizer 0 of stage 0"):
        step_trace(holes)


def test_steps_begin_at_zero() -> None:
    told = columns()
    late = {**told, "start_ts": [each + 1000.0 for each in told["start_ts"]]}
    assert step_trace(late).starts_seconds == pytest.approx(step_trace(told).starts_seconds)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"step": []}, "no rows"),
        ({"optype": ["matmul"]}, "column optype: matmul not known"),
        ({"duration": [-1.0]}, "column duration: cells are below 0"),
        ({"duration": ["fast"]}, "column duration: not all cells are numbers"),
        ({"start_ts": [float("nan")]}, "column start_ts: cells are empty"),
        ({"stage": [0.5]}, "column stage: not all cells are whole numbers"),
    ],
)
def test_a_cell_that_can_not_be_is_refused(changed: dict[str, list[Any]], reason: str) -> None:
    row = {name: cells[:1] for name, cells in columns().items()}
    with pytest.raises(BadTrace, match=reason):
        step_trace({**row, **changed})


def test_a_missing_column_is_named() -> None:
    told = columns()
    del told["duration"]
    with pytest.raises(BadTrace, match="no column duration;"):
        step_trace(told)


def test_one_operation_told_in_two_ways_is_refused() -> None:
    told = columns()
    twice = {name: [*cells, cells[0]] for name, cells in told.items()}
    twice["duration"][-1] += 1.0
    with pytest.raises(BadTrace, match="column duration: one operation is told twice"):
        step_trace(twice)


def test_a_cube_far_larger_than_its_rows_is_refused() -> None:
    told = columns()
    told["dp_rank"][0] = 40_000_000
    with pytest.raises(BadTrace, match="are too many"):
        step_trace(told)


def test_a_send_that_nobody_receives_is_refused() -> None:
    trace = step_trace(
        without(lambda told, at: told["optype"][at] == "forward-recv" and told["seq_id"][at] >= 0)
    )
    with pytest.raises(BadTrace, match="forward-send 0 of stage 0 has no other end"):
        dependency_order(trace)


def test_a_stage_that_computes_nothing_is_refused() -> None:
    trace = step_trace(
        without(lambda told, at: told["optype"][at].endswith("compute") and told["stage"][at] == 1)
    )
    with pytest.raises(BadTrace, match="stage 1: no forward-compute"):
        dependency_order(trace)
