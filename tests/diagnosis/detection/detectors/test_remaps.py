"""Remaps: a board that wears out is told days before it goes; a few old rows are not."""

from datetime import timedelta

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.detection.detectors.remaps import REMAPS
from apps.diagnosis.model import Anomaly, Role, Scene
from tests.diagnosis.detection.detectors.past import PER_HOUR, at, in_blocks, over_days, signal

ROWS = signal("gpu.remap.correctable", "remaps")
DAY = 24 * PER_HOUR


def counted(when: np.ndarray, days: int, start: float = 0.0) -> np.ndarray:
    """Return a counter that grows by one at each of these columns, and one that stands still."""
    grown = np.zeros((2, days * DAY))
    np.add.at(grown[0], when, 1.0)
    counters: np.ndarray = start + np.cumsum(grown, axis=1)
    return counters


def told(values: np.ndarray, columns: int = 6 * PER_HOUR) -> list[Anomaly]:
    """Return what is told of the counters."""
    return in_blocks(REMAPS, over_days(ROWS, values), Scene(), columns=columns)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(min_value=0, max_value=2**32 - 1))
def test_254_rows_over_55_days_are_told_weeks_before_the_board_is_gone(seed: int) -> None:
    chance = np.random.default_rng(seed)
    when = chance.integers(1, 55 * DAY, 254)
    trend = [each for each in told(counted(when, 55)) if each.detail == "week"]
    assert trend
    assert trend[0].noticed_at is not None
    assert trend[0].noticed_at <= at(55 * DAY) - timedelta(days=40)
    assert trend[0].value == 254
    assert trend[0].role is Role.CONFIRMATION


def test_nine_rows_within_a_day_are_told_at_the_ninth() -> None:
    when = np.arange(9) * 120 + 100
    (anomaly,) = [each for each in told(counted(when, 2)) if each.detail == "day"]
    assert (anomaly.starts_at, anomaly.noticed_at) == (at(100), at(100 + 8 * 120))
    assert anomaly.value == 9


def test_eight_rows_are_not() -> None:
    assert not told(counted(np.arange(8) * 120 + 100, 2))


def test_a_few_rows_now_and_then_are_a_healthy_board() -> None:
    assert not told(counted(np.arange(1, 50, 7) * DAY, 50))


def test_rows_remapped_before_anybody_watched_are_history() -> None:
    assert not told(counted(np.array([], dtype=int), 3, start=200.0))


def test_a_reset_of_the_counter_is_no_growth() -> None:
    values = counted(np.array([], dtype=int), 3, start=200.0)
    values[0, DAY:] = 0.0
    assert not told(values)


@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(min_value=0, max_value=2**32 - 1),
    columns=st.integers(min_value=100, max_value=3 * DAY),
)
def test_gaps_and_cuts_change_nothing(seed: int, columns: int) -> None:
    chance = np.random.default_rng(seed)
    values = counted(chance.integers(1, 9 * DAY, 60), 9)
    values[chance.random(values.shape) < 0.2] = np.nan
    assert told(values) == told(values, columns=columns)
