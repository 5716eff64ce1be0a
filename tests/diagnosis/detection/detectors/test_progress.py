"""Sessions that stand: told within ten minutes, not at a save, and never of a session unknown."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from apps.diagnosis.detection.detectors.progress import PROGRESS
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Anomaly, Band, BandKind, Device, Frame, Notes, PeerGroup, Scene
from tests.diagnosis.detection.detectors.scene import HOSTS, START, STEP, at, nodes, session

COLUMNS = 480  # four hours
HANGS = 400
PORTS = tuple(Device(kind="nic", host=host, name="mlx5_0") for host in HOSTS)


def _steps(seconds: float, pauses: tuple[tuple[int, int], ...] = ()) -> np.ndarray:
    """Return a counter of steps of so many seconds that stands in some columns, of every host."""
    moves = np.ones(COLUMNS)
    for first, end in pauses:
        moves[first:end] = 0
    return np.tile(np.floor(np.cumsum(moves) * STEP / seconds), (len(HOSTS), 1))


def _traffic(pauses: tuple[tuple[int, int], ...] = ()) -> np.ndarray:
    rate = np.random.default_rng(3).uniform(0.8, 1.2, (len(HOSTS), COLUMNS)) * 2e10
    for first, end in pauses:
        rate[:, first:end] = 1e3
    return np.cumsum(rate * STEP, axis=1)


def _frame(signal: str, values: np.ndarray) -> Frame:
    return Frame(
        signal=catalog().signals[signal],
        entities=PORTS if signal == "nic.transmitted" else nodes(),
        start=START,
        step=STEP,
        values=values,
    )


def _found(frame: Frame, scene: Scene | None = None, columns: int = COLUMNS) -> list[Anomaly]:
    notes, told = Notes(), {}
    for first in range(0, COLUMNS, columns):
        notes.worked.clear()
        block = replace(
            frame,
            start=START + first * STEP,
            values=frame.values[:, first : first + columns],
        )
        for one in PROGRESS.notice([block], scene or session(), notes):
            told[one.entity, one.starts_at] = one
    return list(told.values())


def _told_after(one: Anomaly) -> timedelta:
    assert one.noticed_at is not None
    return one.noticed_at - at(HANGS - 1)


@pytest.mark.parametrize(("seconds", "minutes"), [(10, 2), (30, 2.5), (60, 5), (400, 10)])
def test_steps_that_stop_are_told_after_five_of_them_and_ten_minutes_at_most(
    seconds: float, minutes: float
) -> None:
    (one,) = _found(_frame("training.step", _steps(seconds, ((HANGS, COLUMNS),))))
    assert (one.kind, one.entity) == ("standstill", Device(kind="group", name="attempt 1"))
    assert one.noticed_at is not None
    stood = one.noticed_at - one.starts_at
    assert timedelta(minutes=minutes) <= stood <= timedelta(minutes=minutes, seconds=2 * STEP)
    assert one.starts_at <= at(HANGS - 1)
    assert one.hosts == HOSTS


def test_traffic_that_stops_is_told_though_the_counters_still_creep() -> None:
    (one,) = _found(_frame("nic.transmitted", _traffic(((HANGS, COLUMNS),))))
    assert _told_after(one) <= timedelta(minutes=2, seconds=30)


def test_pauses_as_long_as_those_before_are_saves() -> None:
    saves = tuple((first, first + 8) for first in range(60, 400, 60))
    assert not _found(_frame("training.step", _steps(10, saves)))
    longer = (*saves, (HANGS, COLUMNS))
    (one,) = _found(_frame("training.step", _steps(10, longer)))
    assert timedelta(minutes=6) < _told_after(one) < timedelta(minutes=8)


def test_the_first_long_save_is_told_once_and_the_next_ones_are_known() -> None:
    saves = tuple((first, first + 8) for first in range(120, 400, 60))
    (one,) = _found(_frame("nic.transmitted", _traffic(saves)))
    assert one.starts_at == at(119)


def test_a_save_that_was_told_is_no_standstill() -> None:
    band = Band(kind=BandKind.SAVE, starts_at=at(HANGS - 1), ends_at=at(HANGS + 30), hosts=())
    scene = replace(session(), bands=(band,))
    assert not _found(_frame("training.step", _steps(10, ((HANGS, HANGS + 30),))), scene)


def test_a_hang_after_a_save_is_told_though() -> None:
    band = Band(kind=BandKind.SAVE, starts_at=at(HANGS - 1), ends_at=at(HANGS + 10), hosts=())
    scene = replace(session(), bands=(band,))
    (one,) = _found(_frame("training.step", _steps(10, ((HANGS, COLUMNS),))), scene)
    assert one.starts_at == at(HANGS + 9)


def test_a_host_whose_counter_is_lost_does_not_stop_the_session() -> None:
    steps = _steps(10)
    steps[0, HANGS:] = np.nan
    steps[1, HANGS:] = steps[1, HANGS]
    assert not _found(_frame("training.step", steps))


def test_traffic_that_is_not_heard_is_no_silence() -> None:
    traffic = _traffic()
    traffic[:6, HANGS:] = np.nan
    assert not _found(_frame("nic.transmitted", traffic))


def test_a_session_that_has_ended_or_that_nobody_told_of_stands_for_good() -> None:
    frame = _frame("training.step", _steps(10, ((HANGS, COLUMNS),)))
    ended = replace(session().groups[0], ends_at=at(HANGS))
    assert not _found(frame, Scene(groups=(ended,)))
    assert not _found(frame, Scene(groups=(PeerGroup(name="", hosts=HOSTS, starts_at=at(0)),)))
    assert not _found(frame, Scene())


def test_a_session_that_just_began_is_not_known_yet() -> None:
    assert not _found(_frame("training.step", _steps(10, ((20, COLUMNS),))))


@pytest.mark.parametrize("columns", [1, 7, 60])
def test_any_cut_of_the_samples_tells_the_same(columns: int) -> None:
    frame = _frame("training.step", _steps(30, ((100, 120), (HANGS, COLUMNS))))
    whole = {(each.starts_at, each.ends_at, each.noticed_at) for each in _found(frame)}
    cut = _found(frame, columns=columns)
    assert {(each.starts_at, each.ends_at, each.noticed_at) for each in cut} == whole
