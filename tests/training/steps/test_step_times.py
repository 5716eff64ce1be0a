"""Step times out of readings in any order, with doubles, without what paused them."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from apps.training.steps.readings import StepReading, distinct_readings
from apps.training.steps.step_times import Pause, step_times

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def after(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def readings(count: int, *, attempt: int = 1, every: float = 10.0) -> list[StepReading]:
    return [
        StepReading(attempt=attempt, step=step, at=after(step * every), tokens=1000)
        for step in range(count)
    ]


def test_order_and_doubles_change_nothing() -> None:
    given = readings(50) + readings(50, attempt=2)
    pauses = [Pause(kind="save", starts_at=after(100), ends_at=after(104))]
    shuffled = random.Random(7).sample(given * 3, 300)  # noqa: S311  an order

    assert step_times(shuffled, pauses * 2) == step_times(given, pauses)


def test_a_time_is_what_passed_since_the_step_before() -> None:
    times = step_times(readings(3))

    assert [(each.step, each.seconds) for each in times] == [(1, 10.0), (2, 10.0)]
    assert times[0].tokens_per_second == 100.0


def test_no_time_is_taken_across_attempts() -> None:
    late = [
        StepReading(attempt=2, step=30, at=after(900)),
        StepReading(attempt=2, step=31, at=after(912)),
    ]

    assert [each.seconds for each in step_times([*readings(2), *late])] == [10.0, 12.0]


def test_steps_that_were_not_told_share_the_time() -> None:
    told = [StepReading(step=10, at=after(0)), StepReading(step=20, at=after(50))]

    (time,) = step_times(told)
    assert (time.seconds, time.steps) == (5.0, 10)


def test_marked_pauses_are_no_step_time_and_overlapping_ones_count_once() -> None:
    told = [StepReading(step=1, at=after(0)), StepReading(step=2, at=after(100))]
    pauses = [
        Pause(kind="save", starts_at=after(20), ends_at=after(60)),
        Pause(kind="evaluation", starts_at=after(50), ends_at=after(90)),
        Pause(kind="evaluation", starts_at=after(200), ends_at=after(300)),
    ]

    (time,) = step_times(told, pauses)
    assert (time.seconds, time.paused_seconds) == (30.0, 70.0)
    assert time.pauses == ("evaluation", "save")


def test_what_a_writer_says_of_its_step_counts_first() -> None:
    told = [StepReading(step=1, at=after(0)), StepReading(step=2, at=after(1), seconds=0.8)]

    assert [each.seconds for each in step_times(told)] == [0.8]


def test_steps_within_one_stamp_have_no_time() -> None:
    assert step_times([StepReading(step=1, at=NOON), StepReading(step=2, at=NOON)]) == []


def test_copies_of_a_step_fill_what_the_earliest_lacks() -> None:
    early = StepReading(step=5, at=after(0))
    late = StepReading(step=5, at=after(3), tokens=7, loss=float("nan"), workload=(1.0,))

    (merged,) = distinct_readings([late, early])
    assert (merged.at, merged.tokens, merged.workload) == (after(0), 7, (1.0,))


@pytest.mark.parametrize("seconds", [0.001, 0.25])
def test_milliseconds_are_kept(seconds: float) -> None:
    told = [StepReading(step=1, at=after(0)), StepReading(step=2, at=after(seconds))]

    assert step_times(told)[0].seconds == pytest.approx(seconds)
