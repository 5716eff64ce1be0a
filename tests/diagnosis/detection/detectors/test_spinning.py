"""Spinning: busy without power. One GPU, a whole session; not idleness, not a slow start."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.detection.detectors.spinning import SPINNING
from apps.diagnosis.model import Anomaly, Device, Frame, Notes
from tests.diagnosis.detection.detectors.past import MIDNIGHT, at, over_days, signal, working
from tests.diagnosis.detection.detectors.scene import HOSTS, gpus

TIMES = 120
POWER, BUSY = signal("gpu.power", "spinning"), signal("gpu.utilisation", "spinning")


def work(seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return power and utilisation of 32 GPUs at work."""
    chance = np.random.default_rng(seed)
    return chance.normal(620, 30, (32, TIMES)), np.clip(
        chance.normal(0.97, 0.02, (32, TIMES)), 0, 1
    )


def told(drawn: np.ndarray, busy: np.ndarray, columns: int = TIMES) -> list[Anomaly]:
    """Return the last word on each episode, block by block."""
    notes, found = Notes(), {}
    for first in range(0, TIMES, columns):
        frames: list[Frame] = [
            replace(
                over_days(watched, values[:, first : first + columns], gpus()),
                start=MIDNIGHT + first * 60.0,
            )
            for watched, values in ((POWER, drawn), (BUSY, busy))
        ]
        notes.worked.clear()
        for each in SPINNING.notice(frames, working(), notes):
            found[each.entity, each.starts_at] = each
    return list(found.values())


def test_one_gpu_that_spins_at_a_fifth_of_its_power() -> None:
    drawn, busy = work()
    drawn[9, 60:], busy[9, 60:] = 120.0, 1.0
    (anomaly,) = told(drawn, busy)
    assert (anomaly.entity.host, anomaly.entity.index) == ("gpu003", 1)
    assert anomaly.starts_at == at(60)
    assert anomaly.noticed_at == at(64)
    assert anomaly.value == pytest.approx(120)
    assert anomaly.baseline == pytest.approx(620, rel=0.1)


def test_a_session_that_stands_is_told_once() -> None:
    drawn, busy = work()
    drawn[:, 60:], busy[:, 60:] = 130.0, 1.0
    (anomaly,) = told(drawn, busy)
    assert anomaly.entity == Device(kind="group", name="attempt 1")
    assert anomaly.host_count == len(HOSTS)


def test_idle_gpus_do_not_spin() -> None:
    drawn, busy = work()
    drawn[:, 60:], busy[:, 60:] = 90.0, 0.0
    assert not told(drawn, busy)


def test_two_minutes_of_a_save_are_nothing() -> None:
    drawn, busy = work()
    drawn[:, 60:63], busy[:, 60:63] = 130.0, 1.0
    assert not told(drawn, busy)


def test_what_work_draws_has_to_be_known() -> None:
    drawn, busy = work()
    drawn[9, 20:], busy[9, 20:] = 120.0, 1.0
    assert not told(drawn, busy)


@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(min_value=0, max_value=2**32 - 1),
    scale=st.sampled_from([1e-3, 1.0, 1e3]),
    columns=st.integers(min_value=1, max_value=TIMES),
)
def test_unit_of_power_gaps_and_cuts_change_nothing(seed: int, scale: float, columns: int) -> None:
    chance = np.random.default_rng(seed)
    drawn, busy = work(seed)
    drawn[9, 60:], busy[9, 60:] = 120.0, 1.0
    drawn[chance.random(drawn.shape) < 0.02] = np.nan
    whole, other = told(drawn, busy), told(drawn * scale, busy, columns)
    assert {each.entity.host for each in whole} <= {"gpu003"}
    assert [(a.entity, a.starts_at, a.noticed_at, a.ends_at) for a in whole] == [
        (a.entity, a.starts_at, a.noticed_at, a.ends_at) for a in other
    ]
