"""A strip of step times is of bounded size and loses no extreme."""

import pytest

from apps.training.steps.strip import step_strip
from tests.training.steps.runs import run


@pytest.mark.parametrize("count", [1, 239, 240, 241, 10_007])
def test_a_strip_is_bounded_and_holds_every_step(count: int) -> None:
    strip = step_strip(run([1.0] * count), buckets=240)

    assert len(strip.buckets) <= 240
    assert sum(each.count for each in strip.buckets) == count


def test_one_slow_step_among_thousands_stays_seen() -> None:
    seconds = [1.0] * 5000
    seconds[3210] = 9.0
    strip = step_strip(run(seconds), buckets=100)

    (slow,) = [each for each in strip.buckets if each.most_seconds == 9.0]
    assert slow.first_step <= 3211 <= slow.last_step
    assert slow.median_seconds == 1.0


def test_buckets_never_span_two_attempts() -> None:
    times = [step for attempt in (1, 2, 3) for step in run([1.0] * 33, attempt=attempt)]
    strip = step_strip(times, buckets=10)

    assert {each.attempt for each in strip.buckets} == {1, 2, 3}
    assert sum(each.count for each in strip.buckets) == 99
    assert len(strip.buckets) <= 10


def test_of_too_many_attempts_the_first_are_left_out_and_counted() -> None:
    times = [step for attempt in range(30) for step in run([1.0], attempt=attempt)]
    strip = step_strip(times, buckets=20)

    assert strip.left_out_count == 20
    assert [each.attempt for each in strip.buckets] == list(range(20, 30))


def test_nothing_read_draws_nothing() -> None:
    assert step_strip([]).buckets == ()
