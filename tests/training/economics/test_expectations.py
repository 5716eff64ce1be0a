"""The published formulas, and the same by chance."""

import math

import pytest

from apps.diagnosis.intervals import count_interval
from apps.training.economics.expectations import (
    best_interval_seconds,
    expected_ettr,
    expected_mttf,
    measured_mttf,
)
from apps.training.economics.simulated_ettr import simulated_best_interval, simulated_ettr


@pytest.mark.parametrize(("gpus", "hours"), [(1024, 28.85), (16_384, 1.803), (131_072, 0.2254)])
def test_the_published_rate_promises_the_published_times(gpus: int, hours: float) -> None:
    assert expected_mttf(gpus=gpus).hours == pytest.approx(hours, rel=1e-3)


def test_what_was_measured_stands_beside_what_is_computed_and_only_there() -> None:
    assert expected_mttf(gpus=1024).measured_elsewhere_hours == 7.9
    assert expected_mttf(gpus=2048).measured_elsewhere_hours is None


def test_measured_failures_have_an_exact_interval() -> None:
    found = measured_mttf(failures=17, run_hours=55 * 24, nodes=63)
    low, high = count_interval(17)

    assert found.hours == pytest.approx(1320 / 17)
    assert found.interval == (1320 / high, 1320 / low)
    assert found.failures_per_1000_node_days == pytest.approx(4.906, abs=0.001)


def test_no_failure_promises_a_least_time_and_no_time() -> None:
    found = measured_mttf(failures=0, run_hours=100, nodes=8)

    assert found.hours is None
    assert found.interval[0] == pytest.approx(100 / 3.689, rel=1e-3)
    assert found.interval[1] == math.inf


def test_where_restarts_take_all_the_time_nothing_is_left() -> None:
    ettr = expected_ettr(
        failures_per_day=200, restart_seconds=600, interval_seconds=600, save_seconds=60
    )

    assert ettr == 0.0


def test_the_best_interval_is_better_than_others_by_formula_and_by_chance() -> None:
    told = {"failures_per_day": 4.0, "restart_seconds": 300.0, "save_seconds": 60.0}
    best = best_interval_seconds(failures_per_day=4.0, save_seconds=60.0)

    for ettr in (expected_ettr, simulated_ettr):
        at_best = ettr(**told, interval_seconds=best)
        assert at_best > ettr(**told, interval_seconds=best / 3)
        assert at_best > ettr(**told, interval_seconds=best * 3)
    chance = simulated_best_interval(failures_per_day=4.0, restart_seconds=300.0, save_seconds=60.0)
    assert chance == pytest.approx(best, rel=0.05)


def test_equal_seeds_give_equal_answers() -> None:
    first, again, other = (
        simulated_ettr(
            failures_per_day=13.3,
            restart_seconds=300,
            interval_seconds=300,
            save_seconds=10,
            seed=seed,
            segments=2000,
        )
        for seed in (1, 1, 2)
    )

    assert first == again != other
