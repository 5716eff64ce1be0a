"""Drift: what creeps for hours is told; noise, common movement and one wild hour are not."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.detection.detectors.drift import DRIFT
from tests.diagnosis.detection.detectors.past import (
    PER_HOUR,
    at,
    in_blocks,
    over_days,
    signal,
    working,
)
from tests.diagnosis.detection.detectors.scene import HOSTS

HEAT = signal("gpu.temperature.memory", "drift")
DAY = 24 * PER_HOUR


def heat(seed: int = 1, days: int = 6) -> np.ndarray:
    """Return memory temperatures of eight GPUs that do the same work."""
    chance = np.random.default_rng(seed)
    count = days * DAY
    rhythm = 4 * np.sin(np.arange(count) * 2 * np.pi / DAY)
    values: np.ndarray = (
        70 + chance.normal(0, 2, (8, 1)) + rhythm + chance.normal(0, 1.5, (8, count))
    )
    return values


def creeping(values: np.ndarray, row: int, per_day: float, first: int = 3 * DAY) -> np.ndarray:
    """Return the values with one row that rises from a day on."""
    values = values.copy()
    values[row, first:] += per_day * np.arange(values.shape[1] - first) / DAY
    return values


def test_memory_that_gets_five_degrees_hotter_each_day_is_told_within_two() -> None:
    found = in_blocks(DRIFT, over_days(HEAT, creeping(heat(), 2, 5.0)), working())
    (anomaly,) = found
    assert (anomaly.entity.host, anomaly.kind) == (HOSTS[2], "drift")
    assert anomaly.noticed_at is not None
    assert at(3 * DAY) < anomaly.noticed_at < at(5 * DAY)
    assert (anomaly.value or 0) > 3


def test_days_of_season_that_all_share_are_no_drift() -> None:
    values = heat() + 5.0 * np.arange(6 * DAY) / DAY
    assert not in_blocks(DRIFT, over_days(HEAT, values), working())


def test_one_wild_hour_is_no_drift() -> None:
    values = heat()
    values[2, 4 * DAY : 4 * DAY + PER_HOUR] += 60
    assert not in_blocks(DRIFT, over_days(HEAT, values), working())


def test_an_end_is_seen() -> None:
    values = creeping(heat(days=7), 2, 8.0)
    values[2, 5 * DAY :] = heat(days=7)[2, 5 * DAY :]
    (anomaly,) = in_blocks(DRIFT, over_days(HEAT, values), working())
    assert anomaly.ends_at is not None
    assert anomaly.ends_at < at(5 * DAY + 14 * PER_HOUR)


def test_cooling_is_not_bad() -> None:
    assert not in_blocks(DRIFT, over_days(HEAT, creeping(heat(), 2, -5.0)), working())


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(min_value=0, max_value=2**32 - 1))
def test_healthy_rows_are_silent_for_a_week(seed: int) -> None:
    chance = np.random.default_rng(seed)
    values = heat(seed, days=7) + chance.standard_t(3, (8, 7 * DAY))
    values[chance.random(values.shape) < 0.1] = np.nan
    assert not in_blocks(DRIFT, over_days(HEAT, values), working())


@settings(max_examples=5, deadline=None)
@given(scale=st.sampled_from([1e-6, 1e-3, 1e3, 1e9]))
def test_the_unit_does_not_matter(scale: float) -> None:
    values = creeping(heat(), 2, 5.0)
    scaled = replace(HEAT, floor=HEAT.floor * scale)
    one = in_blocks(DRIFT, over_days(HEAT, values), working())
    other = in_blocks(DRIFT, over_days(scaled, values * scale), working())
    assert [(a.entity, a.starts_at, a.noticed_at) for a in one] == [
        (a.entity, a.starts_at, a.noticed_at) for a in other
    ]


@settings(max_examples=5, deadline=None)
@given(columns=st.integers(min_value=40, max_value=3000))
def test_any_cut_finds_the_same(columns: int) -> None:
    frame = over_days(HEAT, creeping(heat(days=5).round(), 2, 9.0))
    whole = in_blocks(DRIFT, frame, working(), columns=5 * DAY)
    blocks = in_blocks(DRIFT, frame, working(), columns=columns)
    assert whole
    for one, other in zip(whole, blocks, strict=True):
        assert replace(one, score=0.0, value=0.0) == replace(other, score=0.0, value=0.0)
        assert one.value == pytest.approx(other.value, rel=1e-4)
