"""What trickles on healthy machines is no news, a storm among it is, and a fault is always."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.detection.detectors.increase import INCREASE
from apps.diagnosis.model import Anomaly, Scene, Signal
from tests.diagnosis.detection.detectors.past import PER_HOUR, at, in_blocks, over_days, signal

DAY = 24 * PER_HOUR
RETRIES = replace(signal("gpu.nvlink.crc", "increase"), notable=10.0)
FATAL = signal("gpu.ecc.uncorrectable", "increase")


def trickle(seed: int = 1, per_hour: float = 20.0, days: int = 2) -> np.ndarray:
    """Return growth a minute of eight counters that are never quite still."""
    return (
        np.random.default_rng(seed).poisson(per_hour / PER_HOUR, (8, days * DAY)).astype(np.float64)
    )


def told(
    growth: np.ndarray, watched: Signal = RETRIES, columns: int = 6 * PER_HOUR
) -> list[Anomaly]:
    """Return what is told of counters that grow so, from the seventh hour on."""
    frame = over_days(watched, np.cumsum(growth, axis=1))
    found = in_blocks(INCREASE, frame, Scene(), columns=columns)
    return [each for each in found if (each.noticed_at or each.starts_at) >= at(7 * PER_HOUR)]


def started(growth: np.ndarray) -> np.ndarray:
    """Return the growth without that of the first hours, so that nothing is told before."""
    quiet = growth.copy()
    quiet[:, : 7 * PER_HOUR] = 0.0
    return quiet


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(min_value=0, max_value=2**32 - 1))
def test_a_trickle_that_goes_on_is_not_told_again(seed: int) -> None:
    growth = trickle(seed)
    growth[:, 8 * PER_HOUR : 8 * PER_HOUR + 30] = 0.0
    found = told(growth)
    assert not [each for each in found if each.starts_at >= at(8 * PER_HOUR)]


def test_a_storm_among_the_trickle_is_told_when_it_is_more_than_any_hour() -> None:
    growth = trickle()
    growth[:, DAY - 20 : DAY] = 0.0
    growth[3, DAY : DAY + 10] += 30
    storm = [each for each in told(growth) if each.starts_at >= at(DAY)]
    assert [each.entity.host for each in storm] == ["gpu004"]
    assert storm[0].noticed_at is not None
    assert storm[0].noticed_at < at(DAY + 10)


def test_the_first_ever_growth_is_told() -> None:
    growth = np.zeros((8, DAY))
    growth[2, 900:912] = 1.0
    (anomaly,) = told(growth)
    assert (anomaly.starts_at, anomaly.noticed_at) == (at(900), at(909))


def test_of_what_can_only_be_a_fault_any_growth_counts() -> None:
    growth = np.zeros((8, DAY))
    growth[:, ::200] = 1.0
    assert len(told(growth, FATAL)) == 8 * len(range(600, DAY, 200))


@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(min_value=0, max_value=2**32 - 1),
    columns=st.integers(min_value=20, max_value=900),
)
def test_any_cut_tells_the_same(seed: int, columns: int) -> None:
    growth = trickle(seed, per_hour=3.0)
    growth[3, DAY : DAY + 10] += 30
    assert told(started(growth)) == told(started(growth), columns=columns)
