"""Throttling: heat on one part is a fault, the power cap of all is work."""

import numpy as np

from apps.diagnosis.detection.detectors.throttling import THROTTLING
from tests.diagnosis.detection.detectors.scene import at, found, frame, gpus

TIMES = 20


def held_down(share: float, rows: slice, first: int = 6) -> np.ndarray:
    """Return seconds held down so far, of 32 GPUs of which some are throttled."""
    shares = np.zeros((32, TIMES))
    shares[rows, first:] = share
    return np.cumsum(shares * 30.0, axis=1)


def test_one_hot_gpu_is_found_with_its_share() -> None:
    (anomaly,) = found(
        THROTTLING, frame("gpu.throttled.thermal", held_down(0.4, slice(9, 10)), gpus())
    )
    assert (anomaly.entity.host, anomaly.entity.index) == ("gpu003", 1)
    assert anomaly.starts_at == at(6)
    assert abs((anomaly.value or 0) - 0.4) < 0.02
    assert anomaly.causes == ("gpu-throttling",)


def test_power_cap_of_all_is_normal() -> None:
    assert not found(THROTTLING, frame("gpu.throttled.power", held_down(0.6, slice(0, 32)), gpus()))


def test_power_brake_of_one_is_not() -> None:
    assert found(THROTTLING, frame("gpu.throttled.power", held_down(0.6, slice(3, 4)), gpus()))


def test_mask_counts_only_the_telling_bits() -> None:
    bits = np.full((32, TIMES), 4.0)  # software power cap
    assert not found(THROTTLING, frame("gpu.throttled.reasons", bits, gpus()))
    bits[7, 10:15] = 0x44
    (anomaly,) = found(THROTTLING, frame("gpu.throttled.reasons", bits, gpus()))
    assert anomaly.starts_at == at(10)


def test_single_spike_and_blank_masks_are_nothing() -> None:
    bits = np.zeros((32, TIMES))
    bits[7, 10] = 0x40
    bits[8, 3:] = 9223372036854775794.0
    assert not found(THROTTLING, frame("gpu.throttled.reasons", bits, gpus()))
