"""Which steps are kept of a log so that lines without a time can be dated."""

import pytest

from apps.offline.steps_beside import MOST, StepsBeside
from tests.cast.survivors import survivor_log
from tests.scenarios.verdicts import readings_of


def _kept(text: str, *, lines_per_piece: int = 10**9) -> list[int | None]:
    steps = StepsBeside()
    for reading in readings_of(
        texts={"session/gpu-n01/rank0.log": text}, lines_per_piece=lines_per_piece
    ):
        steps.add(reading)
    return [each.step for each in steps.points()]


@pytest.mark.parametrize("lines_per_piece", [1, 7, 62, 10**9])
def test_the_steps_before_and_after_the_line_are_kept_however_the_log_is_cut(
    lines_per_piece: int,
) -> None:
    assert _kept(survivor_log(), lines_per_piece=lines_per_piece) == [60, 62]


def test_a_log_without_such_lines_keeps_no_step() -> None:
    calm = "\n".join(line for line in survivor_log().splitlines() if "reconfiguring" not in line)
    assert _kept(calm) == []


def test_a_log_that_says_it_all_the_time_keeps_the_newest_steps_only() -> None:
    (reading, *_) = readings_of(texts={"session/gpu-n01/rank0.log": survivor_log()})
    steps = StepsBeside()
    for _ in range(MOST):
        steps.add(reading)
    assert len(steps.points()) == MOST
