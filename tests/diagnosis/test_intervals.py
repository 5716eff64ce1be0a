"""Intervals, against published values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.intervals import (
    ExactShare,
    HitShare,
    bootstrap,
    bootstrap_ratios,
    count_interval,
    median_interval,
    share_interval,
    wilson,
)


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [(10, 10, 0.692, 1.0), (2, 10, 0.025, 0.556), (0, 10, 0.0, 0.308), (5, 10, 0.187, 0.813)],
)
def test_shares_against_the_literature(hits: int, trials: int, low: float, high: float) -> None:
    assert share_interval(hits, trials) == pytest.approx((low, high), abs=0.001)


def test_nothing_tried_says_nothing() -> None:
    assert share_interval(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("count", "low", "high"), [(0, 0.0, 3.689), (1, 0.025, 5.572), (46, 33.68, 61.36)]
)
def test_counts_against_the_literature(count: int, low: float, high: float) -> None:
    assert count_interval(count) == pytest.approx((low, high), abs=0.01)


@settings(deadline=None)
@given(st.integers(0, 200), st.integers(1, 200))
def test_the_interval_holds_the_rate(hits: int, trials: int) -> None:
    hits = min(hits, trials)
    low, high = share_interval(hits, trials)
    assert low - 1e-9 <= hits / trials <= high + 1e-9


def test_ten_of_ten_is_not_certainty() -> None:
    low, high = wilson(10, 10)
    assert low == pytest.approx(0.722, abs=0.001)
    assert high == pytest.approx(1.0)
    assert wilson(0, 0) == (0.0, 1.0)


def test_nothing_judged_has_no_rate_and_every_bound() -> None:
    assert HitShare(hits=0, n=0).rate is None
    assert HitShare(hits=0, n=0).interval == ExactShare(hits=0, n=0).interval == (0.0, 1.0)


def test_no_miss_in_ten_trials_claims_less_than_no_miss_in_ten_cases() -> None:
    assert ExactShare(hits=10, n=10).interval[0] < HitShare(hits=10, n=10).interval[0]


def test_a_bootstrap_of_a_mean_is_as_wide_as_its_standard_error() -> None:
    values = np.random.default_rng(3).normal(10, 2, 400)
    low, high = bootstrap(lambda pick: float(values[pick].mean()), 400)

    assert low < values.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * 2 / 20, rel=0.15)


def test_a_bootstrap_of_two_groups_draws_from_each() -> None:
    first, second = np.arange(30.0), np.full(5, 100.0)
    low, high = bootstrap(lambda a, b: float(second[b].mean() - first[a].mean()), 30, 5)

    assert 100 - 20 < low < 100 - 14.5 < high < 100 - 9
    assert (low, high) == bootstrap(lambda a, b: float(second[b].mean() - first[a].mean()), 30, 5)


def test_ratios_of_sums_have_the_intervals_that_each_has_by_itself() -> None:
    random = np.random.default_rng(5)
    wholes = random.exponential(10, 40)
    parts = wholes[:, None] * random.dirichlet([2, 1, 1], 40)

    def share(column: int) -> tuple[float, float]:
        return bootstrap(lambda pick: parts[pick, column].sum() / wholes[pick].sum(), 40)

    found = bootstrap_ratios(parts, wholes)
    for column, interval in enumerate(found):
        assert interval == pytest.approx(share(column))


def test_ratios_of_many_cases_are_drawn_in_portions_and_hold_the_ratio() -> None:
    random = np.random.default_rng(6)
    wholes = np.ones(3000)
    parts = (random.random((3000, 1)) < 0.3).astype(float)
    ((low, high),) = bootstrap_ratios(parts, wholes)
    assert low < parts.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * (0.21 / 3000) ** 0.5, rel=0.15)


def test_a_ratio_of_nothing_is_nothing() -> None:
    assert bootstrap_ratios(np.zeros((3, 1)), np.zeros(3)) == [(0.0, 0.0)]


@pytest.mark.parametrize(("count", "rank"), [(6, 1), (10, 2), (20, 6), (100, 40)])
def test_medians_lie_between_the_order_statistics_of_the_literature(count: int, rank: int) -> None:
    values = np.random.default_rng(1).permutation(count).astype(float)
    assert median_interval(values) == (rank - 1, count - rank)


def test_of_five_values_nothing_bounds_the_median() -> None:
    assert median_interval(np.arange(5.0)) is None
