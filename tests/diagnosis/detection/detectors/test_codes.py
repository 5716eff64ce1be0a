"""Sticky gauges: the edge is the event, the level is history."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.detection.detectors.codes import CODES
from apps.diagnosis.model import Role
from tests.diagnosis.detection.detectors.scene import at, found, frame


def test_new_xid_79_is_a_gpu_off_the_bus() -> None:
    (anomaly,) = found(CODES, frame("gpu.xid", [[0, 0, 79, 79]]))
    assert anomaly.starts_at == at(2)
    assert anomaly.causes == ("gpu-off-bus",)
    assert anomaly.role is Role.INITIATING
    assert anomaly.detail == "79"


def test_old_xid_that_still_stands_is_no_event() -> None:
    assert not found(CODES, frame("gpu.xid", [[79, 79, 79]]))


def test_exporter_restart_clears_the_code_without_an_event() -> None:
    assert not found(CODES, frame("gpu.xid", [[79, 79, 0, 0]]))


def test_second_code_after_a_first_is_an_event_of_its_own() -> None:
    codes = [a.detail for a in found(CODES, frame("gpu.xid", [[0, 63, 63, 94]]))]
    assert codes == ["63", "94"]


def test_code_behind_a_gap_is_found_when_the_series_returns() -> None:
    (anomaly,) = found(CODES, frame("gpu.xid", [[0, np.nan, np.nan, 119]]))
    assert anomaly.causes == ("gpu-gsp-timeout",)
    assert anomaly.resolution_seconds == 90.0


def test_mass_teardown_code_is_no_cause() -> None:
    (anomaly,) = found(CODES, frame("gpu.xid", [[0, 45]]))
    assert anomaly.role is Role.TEARDOWN
    assert anomaly.causes == ()


def test_unknown_xid_is_told_as_context() -> None:
    (anomaly,) = found(CODES, frame("gpu.xid", [[0, 166]]))
    assert anomaly.role is Role.CONTEXT


def test_port_that_leaves_active_is_down_and_its_way_back_is_no_event() -> None:
    found_states = found(CODES, frame("nic.state", [[4, 4, 1, 2, 4]]))
    assert [(a.starts_at, a.causes) for a in found_states] == [(at(2), ("link-down",))]


@given(st.lists(st.sampled_from([0.0, 45.0, 79.0, np.nan, np.inf]), min_size=1, max_size=20))
def test_as_many_events_as_changes_to_a_code(values: list[float]) -> None:
    seen = [value for value in values if np.isfinite(value)]
    changes = sum(b not in {0.0, a} for a, b in pairwise(seen))
    assert len(found(CODES, frame("gpu.xid", [values]))) == changes
