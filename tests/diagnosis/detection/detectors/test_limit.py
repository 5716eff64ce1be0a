"""Limits: held, in the unit of the signal, one episode for all parts of an entity."""

import numpy as np

from apps.diagnosis.detection.detectors.limit import LIMIT
from apps.diagnosis.model import Device
from tests.diagnosis.detection.detectors.scene import at, found, frame

SERVER = Device(kind="server", name="nas1")


def queue(values: np.ndarray) -> tuple[Device, ...]:
    """Return the server once per row."""
    return (SERVER,) * len(values)


def test_parts_of_one_server_are_one_episode() -> None:
    values = np.full((4, 20), 0.002)
    values[:3, 8:14] = 2.0
    (anomaly,) = found(LIMIT, frame("server.queue", values, queue(values)))
    assert (anomaly.entity, anomaly.starts_at) == (SERVER, at(8))
    assert (anomaly.value, anomaly.baseline) == (2.0, 0.002)


def test_two_samples_are_a_spike() -> None:
    values = np.full((4, 20), 0.002)
    values[0, 8:10] = 9.0
    assert not found(LIMIT, frame("server.queue", values, queue(values)))


def test_gaps_are_not_below_and_not_above() -> None:
    values = np.full((1, 20), np.nan)
    assert not found(LIMIT, frame("server.queue", values, queue(values)))
