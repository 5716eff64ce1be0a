"""The story of an attempt from the points of its logs."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.diagnosis.model import PointKind, ProgressPoint
from apps.training.runs.story import run_story

AT = datetime(2026, 11, 9, 12, tzinfo=UTC)


def step(number: int, second: float, *, at_step: int | None = None, **said: float) -> ProgressPoint:
    """Return a step at a second of the run."""
    return ProgressPoint(
        kind=PointKind.STEP,
        number=number,
        step=number if at_step is None else at_step,
        at=AT + timedelta(seconds=second),
        **said,  # type: ignore[arg-type]
    )


def test_times_come_from_the_clock_where_no_line_tells_them() -> None:
    story = run_story(steps=[step(n, 6.0 * n) for n in range(100)])
    assert story.step_seconds == pytest.approx(6.0)
    assert (story.first_step, story.last_step) == (0, 99)
    assert story.changes == ()
    assert story.repeated_count == 0


def test_what_lines_tell_is_told() -> None:
    story = run_story(
        steps=[
            step(n, n, seconds=0.8, tokens_per_second=7000.0, mfu=40.0, loss=9.0 - n)
            for n in range(5)
        ]
    )
    assert (story.step_seconds, story.tokens_per_second) == (0.8, 7000.0)
    assert (story.mfu, story.loss, story.tflops) == (40.0, 5.0, None)


def test_a_slow_down_is_found() -> None:
    quick = [step(n, 6.0 * n) for n in range(200)]
    slow = [step(200 + n, 6.0 * 199 + 6.9 * (n + 1)) for n in range(50)]
    (change,) = run_story(steps=[*quick, *slow]).changes
    assert change.step == 200
    assert change.found_step <= 202
    assert change.ratio == pytest.approx(1.15, abs=0.01)


def test_a_save_of_another_log_is_no_slow_step() -> None:
    times = [6.0 * n + (60 if n > 50 else 0) for n in range(100)]
    begin = ProgressPoint(kind=PointKind.SAVE_BEGINS, number=1, at=AT + timedelta(seconds=300))
    end = ProgressPoint(kind=PointKind.SAVE_ENDS, number=2, at=AT + timedelta(seconds=360))
    steps = [step(n, at) for n, at in enumerate(times)]
    slowest = max(b.most_seconds for b in run_story(steps=steps).strip.buckets)
    assert slowest == pytest.approx(66.0)
    story = run_story(steps=steps, others=[begin, end])
    assert max(b.most_seconds for b in story.strip.buckets) == pytest.approx(6.0)
    assert [each.seconds for each in story.checkpoints] == [60.0]


def test_steps_that_are_done_again_after_a_fall_back_are_two_stretches() -> None:
    first = [step(n, 6.0 * n) for n in range(50)]
    again = [step(50 + n, 1000 + 6.0 * n, at_step=40 + n) for n in range(30)]
    story = run_story(steps=[*first, *again])
    assert story.repeated_count == 1
    assert story.last_step == 69
    assert {bucket.attempt for bucket in story.strip.buckets} == {1, 2}


def test_a_count_that_begins_anew_with_each_epoch_was_not_done_again() -> None:
    points = [step(100 * e + n, 600.0 * e + 6 * n, at_step=n) for e in range(3) for n in range(50)]
    assert run_story(steps=points).repeated_count == 0


def test_without_times_there_are_numbers_but_no_strip() -> None:
    points = [
        ProgressPoint(kind=PointKind.STEP, number=n, step=10 * n, seconds=1.5) for n in range(1, 9)
    ]
    story = run_story(steps=points)
    assert story.strip.buckets == ()
    assert (story.first_step, story.last_step, story.step_seconds) == (10, 80, 1.5)
    assert story.starts_at is None
