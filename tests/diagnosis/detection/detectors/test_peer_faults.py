"""The generated sessions with faults, and the judge of who was called."""

from datetime import timedelta

import numpy as np

from apps.diagnosis.model import Anomaly, Device, Layer
from tests.diagnosis.detection.detectors.scene import at
from tests.score.peer_world import FAULTS, LEAD_COLUMNS, world
from tests.score.reliability.peer_faults import NAMES, calls, outcome

STRAY = timedelta(minutes=5)


def _told(host: str, column: int) -> Anomaly:
    return Anomaly(
        kind="peer-deviation",
        signal="gpu.clock",
        family="clock",
        layer=Layer.GPU,
        entity=Device(kind="gpu", host=host, index=0),
        starts_at=at(column),
        ends_at=at(column) + STRAY,
    )


def test_what_a_host_strays_by_within_ten_minutes_is_one_call() -> None:
    told = [_told("gpu002", 0), _told("gpu001", 40), _told("gpu001", 0), _told("gpu001", 20)]

    found = [(each.host, each.starts_at, each.ends_at - each.starts_at) for each in calls(told)]

    assert found == [
        ("gpu001", at(0), timedelta(minutes=25)),
        ("gpu002", at(0), STRAY),
    ]


def test_a_session_is_a_function_of_its_seed_and_its_faults_are_of_different_kinds() -> None:
    one, same = world(3), world(3)

    assert one.faults == same.faults
    assert all(
        np.array_equal(one.values[name], same.values[name], equal_nan=True) for name in one.values
    )
    assert len({each.kind for each in one.faults}) == FAULTS
    assert min(each.start for each in one.faults) >= LEAD_COLUMNS


def test_the_shipped_detector_calls_the_hosts_at_fault_and_hardly_any_other() -> None:
    judged = outcome(world(3))

    assert sum(judged.found) >= FAULTS - 1
    assert sum(not each for each in judged.right) <= 1
    assert len(NAMES) == 63
