"""Growth by ones and twos for hours: told where it is new and alone, never of who always did it."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.detection.detectors.increase import INCREASE
from apps.diagnosis.detection.detectors.trickle import TRICKLE
from apps.diagnosis.model import Anomaly, Role, Scene
from tests.diagnosis.detection.detectors.past import PER_HOUR, at, in_blocks, over_days, signal

DAY = 24 * PER_HOUR
CORRECTED = replace(signal("gpu.corrected_errors", "trickle"), notable=10.0)


def quiet(days: int = 2) -> np.ndarray:
    """Return growth a minute of eight counters that stand still."""
    return np.zeros((8, days * DAY))


def worn(growth: np.ndarray, row: int, first_hour: int, hours: int, each: float = 3.0) -> None:
    """Let a counter grow by so many an hour."""
    for hour in range(first_hour, first_hour + hours):
        growth[row, hour * PER_HOUR + 10 : hour * PER_HOUR + 50 : 20] = each / 2


def told(growth: np.ndarray, columns: int = 6 * PER_HOUR) -> list[Anomaly]:
    """Return what is told of counters that grow so."""
    frame = over_days(CORRECTED, np.cumsum(growth, axis=1))
    return in_blocks(TRICKLE, frame, Scene(), columns=columns)


def test_three_an_hour_are_told_within_four_hours_and_by_nothing_else() -> None:
    growth = quiet()
    worn(growth, 3, first_hour=30, hours=8)
    (anomaly,) = told(growth)
    assert (anomaly.kind, anomaly.entity.host) == ("trickle", "gpu004")
    assert anomaly.starts_at == at(30 * PER_HOUR)
    assert anomaly.noticed_at == at(33 * PER_HOUR + 10)
    assert anomaly.ends_at == at(37 * PER_HOUR + 30)
    assert (anomaly.value, anomaly.role) == (24.0, Role.CONFIRMATION)
    frame = over_days(CORRECTED, np.cumsum(growth, axis=1))
    assert not in_blocks(INCREASE, frame, Scene())


def test_one_burst_is_no_trickle() -> None:
    growth = quiet()
    growth[3, 30 * PER_HOUR : 30 * PER_HOUR + 40] = 1.0
    assert not told(growth)


def test_who_always_did_it_is_not_told_of() -> None:
    growth = quiet(3)
    worn(growth, 3, first_hour=0, hours=72)
    assert not told(growth)


def test_what_three_others_do_as_well_is_not_told_of() -> None:
    growth = quiet()
    for row in (1, 2, 3, 4):
        worn(growth, row, first_hour=30 + row // 2, hours=10)
    found = [each.entity.host for each in told(growth)]
    assert set(found) <= {"gpu002"}


def test_the_first_hours_without_a_past_are_not_judged() -> None:
    growth = quiet(1)
    worn(growth, 3, first_hour=1, hours=8)
    assert not told(growth)


def test_a_row_is_judged_once_six_hours_before_the_last_eight_are_known() -> None:
    growth = quiet(1)
    worn(growth, 3, first_hour=8, hours=8)
    (anomaly,) = told(growth)
    assert anomaly.noticed_at == at(13 * PER_HOUR)


def test_a_pause_of_a_night_begins_it_anew() -> None:
    growth = quiet(3)
    worn(growth, 3, first_hour=30, hours=6)
    worn(growth, 3, first_hour=60, hours=6)
    assert [each.starts_at for each in told(growth)] == [at(30 * PER_HOUR), at(60 * PER_HOUR)]


def test_a_reset_and_gaps_do_not_begin_one() -> None:
    growth = quiet()
    values = np.cumsum(growth, axis=1) + 700.0
    values[3, 30 * PER_HOUR :] = 0.0
    values[4, 31 * PER_HOUR : 35 * PER_HOUR] = np.nan
    assert not in_blocks(TRICKLE, over_days(CORRECTED, values), Scene())


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(min_value=0, max_value=2**32 - 1),
    columns=st.integers(min_value=20, max_value=1500),
)
def test_any_cut_tells_the_same_and_nothing_looks_ahead(seed: int, columns: int) -> None:
    chance = np.random.default_rng(seed)
    growth = chance.poisson(0.004, (8, 3 * DAY)).astype(np.float64)
    worn(growth, 3, first_hour=int(chance.integers(20, 60)), hours=8)
    whole = told(growth)
    assert told(growth, columns=columns) == whole
    for each in whole:
        assert each.noticed_at is not None
        until = round((each.noticed_at - at(0)).total_seconds() / 60) + 1
        (seen,) = [one for one in told(growth[:, :until]) if one.starts_at == each.starts_at]
        assert seen.noticed_at == each.noticed_at
