"""Disks that take long for a request: told beside their own past, never for load or for all."""

from dataclasses import replace

import numpy as np
import pytest

from apps.diagnosis.detection.detectors.latency import LATENCY
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Anomaly, Device, Frame, Notes, Scene
from tests.diagnosis.detection.detectors.past import MIDNIGHT, PER_HOUR, STEP, at
from tests.diagnosis.detection.detectors.scene import HOSTS

HOURS = 12
COLUMNS = HOURS * PER_HOUR
DISKS = tuple(Device(kind="disk", host=host, name="nvme0n1") for host in HOSTS)
NODES = tuple(Device(kind="node", host=host) for host in HOSTS)
SLOW = slice(8 * PER_HOUR, 10 * PER_HOUR)


def _rates() -> dict[str, np.ndarray]:
    """Return what healthy disks do a second: 20 writes of 1 ms and 4 reads of 0.5 ms."""
    jitter = np.random.default_rng(5).uniform(0.8, 1.2, (len(DISKS), COLUMNS))
    return {
        "disk.reads": 4 * jitter,
        "disk.writes": 20 * jitter,
        "disk.read_time": 4 * 0.0005 * jitter,
        "disk.write_time": 20 * 0.001 * jitter,
        "node.pressure.io": 0.002 * jitter,
    }


def _frames(rates: dict[str, np.ndarray]) -> list[Frame]:
    return [
        Frame(
            signal=catalog().signals[name],
            entities=NODES if name == "node.pressure.io" else DISKS,
            start=MIDNIGHT,
            step=STEP,
            values=np.cumsum(values * STEP, axis=1),
        )
        for name, values in rates.items()
    ]


def _found(frames: list[Frame], columns: int = COLUMNS) -> list[Anomaly]:
    """Return the last word on each episode when the samples come in blocks of so many columns."""
    notes, told = Notes(), {}
    for first in range(0, COLUMNS, columns):
        notes.worked.clear()
        block = [
            replace(
                each,
                start=MIDNIGHT + first * STEP,
                values=each.values[:, first : first + columns],
            )
            for each in frames
        ]
        for anomaly in LATENCY.notice(block, Scene(), notes):
            told[anomaly.kind, anomaly.entity, anomaly.starts_at] = anomaly
    return list(told.values())


def test_a_disk_that_takes_ten_times_as_long_is_told_with_the_tasks_that_wait() -> None:
    rates = _rates()
    rates["disk.write_time"][2, SLOW] *= 10
    rates["node.pressure.io"][2, SLOW] += 0.2

    disk, tasks = sorted(_found(_frames(rates)), key=lambda each: each.kind)

    assert (disk.kind, disk.entity) == ("slow-disk", DISKS[2])
    assert (tasks.kind, tasks.entity) == ("waiting-for-disk", NODES[2])
    assert disk.family != tasks.family
    assert set(disk.causes) & set(tasks.causes)
    assert disk.baseline == pytest.approx(0.00092, rel=0.1)
    assert disk.value == pytest.approx(0.0084, rel=0.1)
    assert disk.noticed_at is not None
    assert at(SLOW.start) < disk.starts_at <= disk.noticed_at <= at(SLOW.start + 40)


def test_a_busy_disk_is_not_slow() -> None:
    rates = _rates()
    for name in ("disk.reads", "disk.writes", "disk.read_time", "disk.write_time"):
        rates[name][2, SLOW] *= 30
    rates["node.pressure.io"][2, SLOW] += 0.2

    assert _found(_frames(rates)) == []


def test_a_few_slow_minutes_are_too_short() -> None:
    rates = _rates()
    rates["disk.write_time"][2, SLOW.start : SLOW.start + 2] *= 10

    assert _found(_frames(rates)) == []


def test_a_slow_disk_that_nobody_waits_for_is_told_alone() -> None:
    rates = _rates()
    rates["disk.write_time"][2, SLOW] *= 10

    assert [each.kind for each in _found(_frames(rates))] == ["slow-disk"]


def test_tasks_that_wait_without_a_slow_disk_are_not_told() -> None:
    rates = _rates()
    rates["node.pressure.io"][2, SLOW] += 0.2

    assert _found(_frames(rates)) == []


def test_disks_of_many_hosts_at_once_are_not_the_disks() -> None:
    rates = _rates()
    rates["disk.write_time"][:4, SLOW] *= 10
    rates["node.pressure.io"][:4, SLOW] += 0.2

    assert _found(_frames(rates)) == []


def test_a_disk_that_rests_is_not_judged_by_a_few_requests() -> None:
    rates = _rates()
    for name in rates:
        rates[name][2, SLOW] *= 0.001
    rates["disk.write_time"][2, SLOW] *= 100

    assert _found(_frames(rates)) == []


def test_a_disk_that_was_always_slow_is_as_usual() -> None:
    rates = _rates()
    rates["disk.write_time"][2] *= 10

    assert _found(_frames(rates)) == []


def test_without_the_number_of_requests_nothing_is_told() -> None:
    rates = _rates()
    rates["disk.write_time"][2, SLOW] *= 10
    del rates["disk.writes"]

    assert _found(_frames(rates)) == []


@pytest.mark.parametrize("columns", [1, 7, 60])
def test_any_cut_of_the_samples_tells_the_same(columns: int) -> None:
    rates = _rates()
    rates["disk.write_time"][2, SLOW] *= 10
    rates["node.pressure.io"][2, SLOW] += 0.2
    frames = _frames(rates)

    told = {(each.kind, each.starts_at, each.noticed_at) for each in _found(frames)}

    assert {
        (each.kind, each.starts_at, each.noticed_at) for each in _found(frames, columns)
    } == told
