"""A metric name that nobody wrote down is still worth comparing, and is never guessed to be bad."""

import pytest

from apps.diagnosis.detection.metrics.describe import described, find, matches, signal_for
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import BadDirection, Layer, ReadSchedule, Semantics

UNHEARD = [
    ("node_frobnication_seconds_total", None, Semantics.COUNTER, "seconds", "frobnication"),
    ("node_memory_Frob_bytes", "gauge", Semantics.GAUGE, "bytes", "host-memory"),
    ("DCGM_FI_DEV_NVLINK_FROB_ERROR_TOTAL", None, Semantics.COUNTER, "errors", "nvlink"),
    ("nvidia_smi_ecc_errors_frobbed_volatile", "gauge", Semantics.COUNTER, "number", "ecc"),
    ("DCGM_EXP_FROB_COUNT", "counter", Semantics.WINDOWED, "number", "DCGM_EXP_FROB_COUNT"),
    ("vast_cnode_metrics_Frob_sum", "counter", Semantics.COUNTER, "number", "storage-load"),
    ("frobnicator_level", None, Semantics.GAUGE, "number", "frobnicator"),
]


@pytest.mark.parametrize(("metric", "prom_type", "semantics", "unit", "family"), UNHEARD)
def test_a_name_tells_by_its_habits(
    metric: str, prom_type: str | None, semantics: Semantics, unit: str, family: str
) -> None:
    signal = signal_for(metric, prom_type)
    assert (signal.semantics, signal.unit) == (semantics, unit)
    assert signal.family == family or semantics is Semantics.WINDOWED
    assert signal.bad is BadDirection.EITHER
    assert signal.exporter in catalog().labels
    assert "the catalog has no entry" in signal.meaning


def test_a_count_of_a_sliding_window_is_given_to_no_detector_of_counters() -> None:
    assert signal_for("DCGM_EXP_FROB_COUNT", "counter").watch == ()


def test_a_name_of_identity_is_compared_with_nobody() -> None:
    assert signal_for("node_frob_info", "gauge").watch == ()


def test_a_name_without_any_habit_says_so_by_its_layer() -> None:
    assert signal_for("frobnicator_level").layer is Layer.UNKNOWN


def test_a_spelled_name_finds_its_entry_and_factor() -> None:
    asked = described('node_mountstats_nfs_operations_queue_time_seconds_total{operation="WRITE"}')
    assert (asked.signal.name, asked.is_cataloged) == ("nfs.queue", True)
    assert asked.labels == {"operation": "WRITE"}
    assert described("DCGM_FI_DEV_SM_CLOCK_HERTZ").scale == 1e-6
    assert not described('frobnicator_level{a="b"}').is_cataloged


def test_a_label_that_the_entry_does_not_take_is_another_series() -> None:
    metric = "node_mountstats_nfs_operations_queue_time_seconds_total"
    found = find(metric=metric, labels={"operation": "FSINFO"})
    assert found is None or found[0].name != "nfs.queue"


@pytest.mark.parametrize(
    ("wanted", "value", "is_one"),
    [
        ("READ", "READ", True),
        ("READ", "READDIR", False),
        ("~READ|WRITE", "WRITE", True),
        ("~READ|WRITE", "READDIR", False),
    ],
)
def test_a_matcher_takes_the_whole_value(wanted: str, value: str, *, is_one: bool) -> None:
    assert matches(wanted, value) is is_one


@pytest.mark.parametrize("spelled", ["", "{", "a{b=", "9x", 'a{b="c}', "ü"])
def test_garbage_is_described_too(spelled: str) -> None:
    assert described(spelled).signal.watch is not None


def test_a_subsystem_that_is_worth_no_entries_is_known_and_left_alone() -> None:
    for name in ("node_xfs_frobs_total", "go_frobs", "node_zfs_arc_frob"):
        signal = signal_for(name)
        assert (signal.read, signal.watch) == (ReadSchedule.KNOWN, ())
    assert "peers" in signal_for("DCGM_FI_DEV_NVLINK_FROB_TOTAL").watch
    assert "peers" in signal_for("rackd_frobs").watch
