"""Robust statistics: what each promises about gaps, resets, units and small samples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from apps.diagnosis import stats

NAN = np.nan
VALUES = st.floats(min_value=-1e6, max_value=1e6, allow_nan=False)
MATRICES = arrays.arrays(
    np.float64,
    arrays.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=12),
    elements=st.one_of(VALUES, st.just(NAN)),
)


def test_first_sample_is_a_baseline_and_a_reset_counts_what_came_after_it() -> None:
    grown = stats.increases(np.array([[5.0, 5, 8, 2, 2, 3]]))
    np.testing.assert_array_equal(grown, [[NAN, 0, 3, 2, 0, 1]])


def test_growth_over_a_gap_is_seen_when_the_counter_returns() -> None:
    np.testing.assert_array_equal(
        stats.increases(np.array([[1.0, NAN, NAN, 4]])), [[NAN, NAN, NAN, 3]]
    )


def test_rate_over_a_gap_is_spread_over_the_gap() -> None:
    np.testing.assert_allclose(stats.rates(np.array([[0.0, NAN, 60]]), 30.0)[0, 2], 1.0)


@pytest.mark.parametrize(
    "blank",
    [9223372036854775794.0, 2147483632.0, 140737488355328.0, 1.8446744e19],
)
def test_dcgm_blank_values_are_missing(blank: float) -> None:
    assert np.isnan(stats.without_blanks(np.array([[blank]]))).all()


def test_infinity_is_missing_and_large_counters_are_not() -> None:
    cleaned = stats.without_blanks(np.array([[np.inf, -np.inf, 5e15, 0.0]]))
    np.testing.assert_array_equal(cleaned, [[NAN, NAN, 5e15, 0.0]])


@given(MATRICES)
def test_median_agrees_with_numpy_where_something_is_present(values: np.ndarray) -> None:
    present = ~np.isnan(values).all(axis=0)
    np.testing.assert_allclose(
        stats.median(values)[present], np.nanmedian(values[:, present], axis=0), atol=1e-9
    )
    assert np.isnan(stats.median(values)[~present]).all()


@given(MATRICES)
def test_quantiles_rise_and_stay_within_the_sample(values: np.ndarray) -> None:
    present = ~np.isnan(values).all(axis=0)
    found = stats.quantiles(values, (0.05, 0.25, 0.5, 0.75, 0.95))[:, present]
    assert (np.diff(found, axis=0) >= -1e-9).all()
    assert (found >= np.nanmin(values[:, present], axis=0) - 1e-9).all()
    assert (found <= np.nanmax(values[:, present], axis=0) + 1e-9).all()


def test_runs_are_joined_over_short_pauses_only() -> None:
    mask = np.array([[True, False, True, False, False, False, True]])
    assert list(stats.runs(mask, bridge=1)) == [(0, 0, 3), (0, 6, 7)]


def test_held_needs_enough_of_the_last_columns() -> None:
    mask = np.array([[True, False, True, True, False]])
    np.testing.assert_array_equal(
        stats.held(mask, window=3, at_least=2), [[False, False, True, True, True]]
    )


@given(MATRICES)
def test_the_mean_of_the_middle_half_lies_between_the_quartiles(values: np.ndarray) -> None:
    present = ~np.isnan(values).all(axis=0)
    found = stats.midmean(values)
    assert np.isnan(found[~present]).all()
    low, high = np.nanmin(values[:, present], axis=0), np.nanmax(values[:, present], axis=0)
    assert (found[present] >= low - 1e-6).all()
    assert (found[present] <= high + 1e-6).all()


@given(MATRICES)
def test_middle_and_spread_agree_with_the_slow_way(values: np.ndarray) -> None:
    middle, spread = stats.middle_and_spread(values)
    np.testing.assert_allclose(middle, stats.median(values), atol=1e-9)
    slow = stats.MAD_TO_SIGMA * stats.median(np.abs(values - stats.median(values)))
    np.testing.assert_allclose(spread, slow, atol=1e-6)


def test_one_wild_row_is_not_what_two_rows_do() -> None:
    values = np.array([[1.0], [9.0], [3.0], [NAN], [7.0]])
    like = np.array([0, 0, 0, 0, 1])
    np.testing.assert_array_equal(
        stats.second_highest(values, like), [[3.0], [3.0], [3.0], [3.0], [NAN]]
    )
