"""A small sample of what `make score` measures over a hundred runs, and how it measures."""

import numpy as np
import pytest

from tests.score import calibration, perturbed
from tests.score.calibration import Forecast


@pytest.mark.parametrize("seed", [3, 10, 26])
def test_a_retold_session_keeps_its_verdict(seed: int) -> None:
    (run,) = perturbed.runs(seeds=[seed])
    assert run.said == run.expected


def _forecasts(stated: float, right: int, of: int) -> list[Forecast]:
    """Return forecasts of one probability, the right ones spread evenly among them."""
    return [Forecast(stated=stated, is_right=place * right % of < right) for place in range(of)]


def test_probabilities_that_come_true_as_often_as_said_have_no_error() -> None:
    told = [one for p in (2, 4, 6, 8) for one in _forecasts(p / 10, p * 10, 100)]
    stated = np.array([one.stated for one in told])
    right = np.array([float(one.is_right) for one in told])
    assert calibration.expected_error(stated, right) < 0.06


def test_certainty_that_is_wrong_half_of_the_time_is_an_error() -> None:
    stated, right = np.full(100, 0.95), np.array([0.0, 1.0] * 50, dtype=np.float64)
    assert calibration.expected_error(stated, right) > 0.4
    assert calibration.brier_of_base(stated, right) > 1.0


def test_bounds_are_taken_from_the_other_folds_only() -> None:
    told = [*_forecasts(0.99, 77, 100), *_forecasts(0.6, 61, 100)]
    probability, _ = calibration.cross_fitted(forecasts=told)
    assert 0.6 <= probability.max() < 0.9


def test_too_few_forecasts_have_no_row() -> None:
    assert calibration.measures(forecasts=_forecasts(0.9, 3, 4), name="few") == []
