"""How much a counter grew, whatever it does backwards."""

from dataclasses import replace

import numpy as np
import pytest

from apps.diagnosis.detection.detector_state.levels import grown, levels
from apps.diagnosis.model import Notes, Semantics
from apps.diagnosis.stats import Floats
from tests.diagnosis.detection.detectors.scene import STEP, frame


def _growth(*values: float, semantics: Semantics = Semantics.COUNTER) -> Floats:
    whole = frame("nic.transmitted", [values])
    told = replace(whole, signal=replace(whole.signal, semantics=semantics))
    return grown(told, Notes())[0][0, 1:]


def test_after_a_reset_the_whole_new_value_is_growth() -> None:
    assert _growth(1e9, 1.1e9, 3e6, 5e6).tolist() == [1e8, 3e6, 2e6]


@pytest.mark.parametrize("dip", [1.0, 1e6, 9e9])
def test_a_counter_that_goes_back_a_little_was_not_reset(dip: float) -> None:
    """Read by several threads, or taken from two places, large counters do so now and then."""
    before = 1e12
    assert _growth(before, before - dip, before).tolist() == [0.0, dip]


@pytest.mark.parametrize(("before", "after"), [(3, 2), (2, 1), (90, 89), (1, 0)])
def test_a_small_count_that_falls_by_one_began_anew(before: int, after: int) -> None:
    assert _growth(before, after).tolist() == [after]


def test_what_counts_the_last_minutes_alone_forgets_and_does_not_grow() -> None:
    assert _growth(500, 20, 30, semantics=Semantics.WINDOWED).tolist() == [0.0, 10.0]


def test_a_dip_makes_no_rate_that_nothing_could_carry() -> None:
    steady = np.cumsum(np.full(20, 30 * 2e7)) + 1e12
    steady[10] = steady[9] - 1e6
    rates = levels(frame("nic.transmitted", steady[None]), Notes())[0, 1:]
    assert rates.min() == 0.0
    assert rates.max() <= 2 * 2e7 + 1e6 / STEP
