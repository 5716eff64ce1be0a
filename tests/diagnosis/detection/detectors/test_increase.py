"""Event counters: any growth is a fact, the first sample and a reset are not."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.detection.detectors.increase import INCREASE
from apps.diagnosis.model import Role
from tests.diagnosis.detection.detectors.scene import at, found, frame, gpus


def test_one_uncorrectable_error_is_a_cause_with_its_gpu_and_time() -> None:
    (anomaly,) = found(INCREASE, frame("gpu.ecc.uncorrectable", [[0, 0, 1, 1], [0, 0, 0, 0]]))
    assert anomaly.entity.index == 0
    assert anomaly.starts_at == at(2)
    assert (anomaly.value, anomaly.baseline, anomaly.score) == (1.0, 0.0, 1.0)
    assert anomaly.role is Role.INITIATING
    assert anomaly.causes == ("gpu-ecc-uncorrectable",)


def test_old_errors_at_the_first_sample_are_a_baseline() -> None:
    assert not found(INCREASE, frame("gpu.ecc.uncorrectable", [[7, 7, 7]]))


def test_reset_to_zero_is_no_growth() -> None:
    assert not found(INCREASE, frame("nic.link_downed", [[7, 7, 0, 0]]))


def test_growth_after_a_reset_is_found() -> None:
    (anomaly,) = found(INCREASE, frame("nic.link_downed", [[7, 0, 0, 1]]))
    assert anomaly.starts_at == at(3)


def test_growth_behind_a_gap_says_how_long_nobody_looked() -> None:
    (anomaly,) = found(INCREASE, frame("gpu.pcie.replays", [[3, np.nan, np.nan, 5]]))
    assert anomaly.value == 2.0
    assert anomaly.resolution_seconds == 90.0


def test_growth_in_bursts_within_ten_minutes_is_one_episode() -> None:
    (anomaly,) = found(INCREASE, frame("gpu.pcie.replays", [[0, 1, 1, 1, 4, 4]]))
    assert (anomaly.starts_at, anomaly.ends_at, anomaly.value) == (at(1), at(4), 4.0)


def test_few_corrected_errors_are_not_worth_telling() -> None:
    assert not found(INCREASE, frame("gpu.corrected_errors", [[0, 1, 2, 3]]))


def test_dcgm_blank_is_no_growth() -> None:
    blank = 9223372036854775794.0
    assert not found(INCREASE, frame("gpu.ecc.uncorrectable", [[0, blank, 0, blank]]))


@given(
    st.lists(
        st.one_of(
            st.floats(min_value=0, max_value=1e9),
            st.sampled_from([np.nan, np.inf, 9223372036854775794.0]),
        ),
        min_size=2,
        max_size=30,
    )
)
def test_never_raises_and_growth_is_positive_and_finite(values: list[float]) -> None:
    for anomaly in found(INCREASE, frame("gpu.pcie.replays", [values])):
        assert anomaly.value is not None
        assert 0 < anomaly.value < np.inf


@given(st.floats(min_value=0, max_value=1e6), st.integers(min_value=0, max_value=20))
def test_a_counter_that_stands_still_is_silent(level: float, gap: int) -> None:
    values = np.full((1, 24), level)
    values[0, gap : gap + 3] = np.nan
    assert not found(INCREASE, frame("gpu.ecc.uncorrectable", values))


CODE_79 = (gpus()[0],)


def test_a_series_born_with_its_first_event_is_news_where_its_exporter_spoke_before() -> None:
    spoke = frame("smi.ecc.corrected", [[3, 3, 3, 3, 3]])
    xid = frame("smi.xid.off_bus", [[np.nan, np.nan, 1, 1, 1]], CODE_79, details=("79",))
    (anomaly,) = found(INCREASE, spoke, xid)
    assert (anomaly.starts_at, anomaly.value, anomaly.baseline) == (at(2), 1.0, 0.0)
    assert (anomaly.detail, anomaly.causes) == ("79", ("gpu-off-bus",))
    assert anomaly.role is Role.INITIATING


def test_a_series_born_with_its_exporter_is_history() -> None:
    new = frame("smi.ecc.corrected", [[np.nan, np.nan, 3, 3, 3]])
    xid = frame("smi.xid.off_bus", [[np.nan, np.nan, 1, 1, 1]], CODE_79, details=("79",))
    assert not found(INCREASE, new, xid)
    assert not found(INCREASE, xid)


def test_another_exporter_does_not_vouch_for_a_new_one() -> None:
    spoke = frame("gpu.ecc.uncorrectable", [[0, 0, 0, 0, 0]])
    xid = frame("smi.xid.off_bus", [[np.nan, np.nan, 1, 1, 1]], CODE_79, details=("79",))
    assert not found(INCREASE, spoke, xid)


def test_what_counts_the_last_minutes_only_forgets_and_is_not_reset() -> None:
    rise = frame("gpu.xid.recent.off_bus", [[0, 2, 2, 1, 0, 0]], CODE_79, details=("79",))
    (anomaly,) = found(INCREASE, rise)
    assert (anomaly.value, anomaly.starts_at, anomaly.ends_at) == (2.0, at(1), None)
