"""Every module of the folder is a detector that the catalog uses, and none minds what it gets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis import registry
from apps.diagnosis.detection import detectors
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Detector, Frame
from tests.diagnosis.detection.detectors.scene import START, STEP, gpus, session

ALL = registry.collect(package=detectors, kind=Detector)
HOSTILE = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([0.0, 1.0, 79.0, 9223372036854775794.0, 1.8446744073709552e19]),
)


def test_the_catalog_names_each_detector() -> None:
    # A name that has no detector yet is read and waits; the tests of metrics know them all.
    named = {name for signal in catalog().signals.values() for name in signal.watch}
    assert {detector.name for detector in ALL} <= named


@pytest.mark.parametrize("detector", ALL, ids=lambda each: each.name)
def test_empty_frames_are_silent(detector: Detector) -> None:
    empty = [
        Frame(signal=signal, entities=(), start=START, step=STEP, values=np.empty((0, columns)))
        for signal in catalog().signals.values()
        if detector.name in signal.watch
        for columns in (0, 1, 5)
    ]
    assert detector.detect(empty, session()) == ()


@pytest.mark.parametrize("detector", ALL, ids=lambda each: each.name)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_hostile_values_never_raise(detector: Detector, data: st.DataObject) -> None:
    columns = data.draw(st.integers(min_value=1, max_value=12))
    rows = data.draw(st.lists(st.lists(HOSTILE, min_size=columns, max_size=columns), max_size=8))
    values = np.array(rows, dtype=np.float64).reshape(len(rows), columns)
    frames = [
        Frame(signal=signal, entities=gpus()[: len(rows)], start=START, step=STEP, values=values)
        for signal in catalog().signals.values()
        if detector.name in signal.watch
    ]
    detector.detect(frames, session())
