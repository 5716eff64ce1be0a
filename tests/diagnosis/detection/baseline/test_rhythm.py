"""The seconds of a row, told by the day."""

import numpy as np
import pytest

from apps.diagnosis.detection.baseline.sampling_interval import DAY, step_by_day
from apps.diagnosis.stats import Floats


def _days(*, step: int, days: int, noise: float = 0.3) -> Floats:
    random = np.random.default_rng(step)
    at = np.arange(days * DAY // step) * step
    daily = np.sin(2 * np.pi * at / DAY)
    hourly = (at % 3600 < 300).astype(float)
    columns = [daily, -2 * daily, daily + hourly, hourly, np.zeros(len(at))]
    return np.column_stack(columns) + noise * random.standard_normal((len(at), 5))


@pytest.mark.parametrize("step", [30, 60, 300, 900, 3600])
def test_a_daily_rhythm_tells_the_seconds_between_rows(step: int) -> None:
    assert step_by_day(_days(step=step, days=11)) == step


def test_gaps_and_dead_columns_do_not_hide_the_day() -> None:
    rows = _days(step=300, days=8)
    rows[np.random.default_rng(1).random(rows.shape) < 0.2] = np.nan
    rows[:, 1] = np.nan

    assert step_by_day(rows) == 300


@pytest.mark.parametrize(
    "rows",
    [
        np.random.default_rng(2).standard_normal((20_000, 4)),
        np.cumsum(np.random.default_rng(3).standard_normal((5_000, 4)), axis=0),
        np.full((5_000, 3), 7.0),
        np.full((5_000, 3), np.nan),
        _days(step=60, days=2),
        np.zeros((10, 2)),
    ],
    ids=["noise", "walk", "constant", "empty", "two days", "short"],
)
def test_without_a_daily_rhythm_nothing_is_told(rows: Floats) -> None:
    assert step_by_day(rows) is None
