"""Exact intervals, against published values."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.backtest.intervals import count_interval, share_interval


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
