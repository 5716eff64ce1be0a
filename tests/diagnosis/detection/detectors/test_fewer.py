"""Fewer than there long were: a GPU that is gone, never one bad scrape or one that is empty."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.detection.detectors.fewer import FEWER
from apps.diagnosis.model import Scene
from tests.diagnosis.detection.detectors.past import at, in_blocks, over_days, signal
from tests.diagnosis.detection.detectors.scene import HOSTS, nodes

TIMES = 300
COUNT = signal("gpu.count", "fewer")
SAMPLES = signal("target.gpu.samples", "fewer")


def eights(lost: int = 1, first: int = 120, end: int = TIMES) -> np.ndarray:
    """Return GPUs of eight hosts, of which one loses some for a time."""
    values = np.full((8, TIMES), 8.0)
    values[2, first:end] -= lost
    return values


def test_a_gpu_that_is_gone_is_told_after_three_samples() -> None:
    (anomaly,) = in_blocks(FEWER, over_days(COUNT, eights(), nodes()), Scene())
    assert (anomaly.kind, anomaly.entity.host) == ("shortfall", HOSTS[2])
    assert (anomaly.starts_at, anomaly.noticed_at) == (at(120), at(122))
    assert anomaly.value == pytest.approx(7.0)
    assert anomaly.baseline == pytest.approx(8.0, abs=0.2)
    assert anomaly.causes == ("gpu-off-bus",)


def test_two_samples_are_a_bad_scrape() -> None:
    assert not in_blocks(FEWER, over_days(COUNT, eights(end=122), nodes()), Scene())


def test_none_at_all_is_the_exporters_silence() -> None:
    assert not in_blocks(FEWER, over_days(COUNT, eights(lost=8), nodes()), Scene())


def test_a_twentieth_of_the_samples_comes_and_goes() -> None:
    chance = np.random.default_rng(1)
    values = (1180 - chance.integers(0, 50, (8, TIMES))).astype(np.float64)
    assert not in_blocks(FEWER, over_days(SAMPLES, values, nodes()), Scene())


def test_it_is_seen_behind_the_exporters_silence() -> None:
    values = eights()
    values[2, 120:130] = np.nan
    (anomaly,) = in_blocks(FEWER, over_days(COUNT, values, nodes()), Scene())
    assert anomaly.starts_at == at(130)


def test_the_first_half_hour_is_not_judged() -> None:
    assert not in_blocks(FEWER, over_days(COUNT, eights(first=20, end=28), nodes()), Scene())


def test_what_is_missing_for_days_is_usual() -> None:
    values = np.full((8, 4 * 1440), 8.0)
    values[2, 120:] = 7.0
    (anomaly,) = in_blocks(FEWER, over_days(COUNT, values, nodes()), Scene())
    assert anomaly.ends_at is not None
    assert anomaly.ends_at < at(2 * 1440)


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(min_value=0, max_value=2**32 - 1),
    columns=st.integers(min_value=1, max_value=TIMES),
)
def test_any_cut_tells_the_same(seed: int, columns: int) -> None:
    chance = np.random.default_rng(seed)
    values = eights(first=int(chance.integers(60, 200)), end=int(chance.integers(200, TIMES)))
    values[chance.random(values.shape) < 0.1] = np.nan
    frame = over_days(COUNT, values, nodes())
    whole = in_blocks(FEWER, frame, Scene(), columns=TIMES)
    cut = in_blocks(FEWER, frame, Scene(), columns=columns)
    assert [(a.entity, a.starts_at, a.noticed_at, a.ends_at) for a in whole] == [
        (a.entity, a.starts_at, a.noticed_at, a.ends_at) for a in cut
    ]
