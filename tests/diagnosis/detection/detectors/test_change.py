"""Change: a shift against the own past; not what all do, not what comes every day, not a burst."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.detection.detectors.change import CHANGE
from apps.diagnosis.model import BadDirection, Band, BandKind, Scene
from tests.diagnosis.detection.detectors.past import (
    PER_HOUR,
    at,
    in_blocks,
    over_days,
    signal,
    working,
)
from tests.diagnosis.detection.detectors.scene import HOSTS

DAY = 24 * PER_HOUR
HEAT = signal("gpu.temperature", "change")


def heat(seed: int = 1, hours: int = 24) -> np.ndarray:
    """Return temperatures of eight GPUs with a common rhythm and offsets of their own."""
    chance = np.random.default_rng(seed)
    count = hours * PER_HOUR
    rhythm = 5 * np.sin(np.arange(count) / 300)
    values: np.ndarray = (
        60 + chance.normal(0, 3, (8, 1)) + rhythm + chance.normal(0, 0.8, (8, count))
    )
    return values


def test_a_shift_that_stays_is_found_when_it_has_lasted_a_quarter_of_an_hour() -> None:
    values = heat()
    values[3, 1200:] += 25
    (anomaly,) = in_blocks(CHANGE, over_days(HEAT, values), working())
    assert (anomaly.entity.host, anomaly.kind) == (HOSTS[3], "change-point")
    assert anomaly.starts_at == at(1200)
    assert anomaly.noticed_at == at(1214)
    assert (anomaly.value or 0) - (anomaly.baseline or 0) == pytest.approx(25, abs=2)


def test_a_host_that_was_always_hotter_has_not_changed() -> None:
    values = heat()
    values[3] += 25
    assert not in_blocks(CHANGE, over_days(HEAT, values), working())


def test_what_all_members_do_is_no_change_of_one() -> None:
    values = heat()
    values[:, 1200:] += 25
    assert not in_blocks(CHANGE, over_days(HEAT, values), working())


def test_ten_minutes_are_a_burst() -> None:
    values = heat()
    values[3, 1200:1210] += 25
    assert not in_blocks(CHANGE, over_days(HEAT, values), working())


def test_what_came_last_night_too_is_usual() -> None:
    values = heat(hours=48)
    for start in (600, 600 + DAY):
        values[3, start : start + 60] += 25
    found = in_blocks(CHANGE, over_days(HEAT, values), working())
    assert [each.starts_at for each in found] == [at(600)]


def test_six_hours_of_past_are_asked_for() -> None:
    values = heat(hours=12)
    values[3, 100:] += 25
    assert not in_blocks(CHANGE, over_days(HEAT, values), working())


def test_the_good_direction_is_not_told() -> None:
    values = heat()
    values[3, 1200:] -= 25
    assert not in_blocks(CHANGE, over_days(HEAT, values), working())


def test_an_idle_host_is_compared_with_its_own_past() -> None:
    values = heat()[:1]
    values[0, 1200:] += 40
    idle = Scene(groups=working(HOSTS[4:]).groups)
    (anomaly,) = in_blocks(CHANGE, over_days(HEAT, values), idle)
    assert anomaly.entity.host == HOSTS[0]


def test_a_node_that_starts_to_work_has_not_changed() -> None:
    values = heat()
    values[:, 1200:] += 25
    later = replace(working().groups[0], starts_at=at(1199))
    assert not in_blocks(CHANGE, over_days(HEAT, values), Scene(groups=(later,)))


def test_maintenance_explains_movement() -> None:
    values = heat()
    values[3, 1200:1300] += 25
    band = Band(
        kind=BandKind.MAINTENANCE,
        starts_at=at(1190),
        ends_at=at(1310),
        hosts=(HOSTS[3],),
    )
    scene = replace(working(), bands=(band,))
    assert not in_blocks(CHANGE, over_days(HEAT, values), scene)


@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(min_value=0, max_value=2**32 - 1),
    scale=st.sampled_from([1e-6, 1e-3, 1e3, 1e9]),
)
def test_the_unit_does_not_matter(seed: int, scale: float) -> None:
    values = heat(seed)
    values[3, 1200:] += 25
    either = replace(HEAT, bad=BadDirection.EITHER)
    scaled = replace(either, floor=HEAT.floor * scale)
    one = in_blocks(CHANGE, over_days(either, values), working())
    other = in_blocks(CHANGE, over_days(scaled, values * scale), working())
    assert [(a.entity, a.starts_at, a.noticed_at) for a in one] == [
        (a.entity, a.starts_at, a.noticed_at) for a in other
    ]


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(min_value=0, max_value=2**32 - 1))
def test_healthy_rows_with_gaps_and_heavy_tails_are_silent(seed: int) -> None:
    chance = np.random.default_rng(seed)
    values = heat(seed) + chance.standard_t(3, (8, DAY))
    values[chance.random(values.shape) < 0.1] = np.nan
    values[:, 500:620] = np.nan
    assert not in_blocks(CHANGE, over_days(HEAT, values), working())


@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(min_value=0, max_value=2**32 - 1),
    columns=st.integers(min_value=1, max_value=700),
)
def test_any_cut_finds_the_same(seed: int, columns: int) -> None:
    values = heat(seed, hours=14).round()
    values[3, 700:] += 25
    values[5, 650:690] += 30
    columns = max(columns, 7)
    whole = in_blocks(CHANGE, over_days(HEAT, values), working(), columns=14 * PER_HOUR)
    blocks = in_blocks(CHANGE, over_days(HEAT, values), working(), columns=columns)
    assert whole
    assert [(a.entity, a.starts_at, a.noticed_at, a.ends_at) for a in whole] == [
        (a.entity, a.starts_at, a.noticed_at, a.ends_at) for a in blocks
    ]


def test_noticing_is_never_earlier_than_the_samples() -> None:
    values = heat()
    values[3, 1201:] += 25
    (anomaly,) = in_blocks(CHANGE, over_days(HEAT, values), working())
    assert anomaly.noticed_at is not None
    assert anomaly.noticed_at - at(1201) >= timedelta(minutes=10)


def test_another_make_up_of_a_session_is_no_change_of_its_members() -> None:
    chance = np.random.default_rng(7)
    levels = np.array([10.0, 11, 12, 13, 14, 40, 41, 42])
    values = levels[:, None] + chance.normal(0, 0.01, (8, 24 * PER_HOUR))
    either = replace(HEAT, bad=BadDirection.EITHER, floor=0.1)
    first = replace(working().groups[0], ends_at=at(1200))
    second = replace(first, name="attempt 2", hosts=HOSTS[:6], starts_at=at(1200), ends_at=None)
    assert not in_blocks(CHANGE, over_days(either, values), Scene(groups=(first, second)))
