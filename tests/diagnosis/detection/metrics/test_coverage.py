"""What cannot be told is told by name; absent is never zero, and never green."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.detection.metrics.coverage import (
    FILE,
    CoverageLevel,
    covered,
    gaps,
    load,
    subjects,
)
from apps.diagnosis.detection.metrics.load import CatalogError, catalog

METRICS = sorted(catalog().metrics)
NFS = "node_mountstats_nfs_operations_queue_time_seconds_total"


def state_of(key: str, names: list[str]) -> CoverageLevel:
    """Return how much of a subject some names measure."""
    return next(each.state for each in covered(names) if each.subject.key == key)


def test_a_source_that_serves_nothing_measures_nothing() -> None:
    assert {each.state for each in covered([])} == {CoverageLevel.ABSENT, CoverageLevel.UNSUPPORTED}
    assert not [each for each in covered([]) if any(part.metrics for part in each.parts)]


@given(st.sets(st.sampled_from(METRICS), max_size=40))
def test_a_subject_is_measured_only_by_metrics_that_are_served(names: set[str]) -> None:
    for each in covered(names):
        for part in each.parts:
            assert set(part.metrics) <= names
            assert (part.state is CoverageLevel.MEASURED) == bool(part.metrics)
        is_whole = all(part.state is CoverageLevel.MEASURED for part in each.parts)
        assert (each.state is CoverageLevel.MEASURED) == is_whole


@given(st.sets(st.sampled_from(METRICS), max_size=20), st.sets(st.sampled_from(METRICS)))
def test_more_metrics_never_leave_more_gaps(few: set[str], others: set[str]) -> None:
    before = {each.subject.key for each in gaps(few)}
    assert {each.subject.key for each in gaps(few | others)} <= before


def test_all_metrics_of_the_catalog_leave_only_what_nobody_gives() -> None:
    named = [*METRICS, "sonic_interface_receive_bytes", "sonic_transceiver_dom_flag_value"]
    left = {each.subject.key: each.state for each in gaps(named)}
    assert left == {
        "optics": CoverageLevel.PARTLY,  # nobody gives the power of active cables
        "cuda-runtime": CoverageLevel.UNSUPPORTED,
        "silent-corruption": CoverageLevel.UNSUPPORTED,
    }


def test_mountstats_are_missed_by_name_with_the_flag_that_gives_them() -> None:
    (nfs,) = (
        each
        for each in gaps(["node_nfs_rpc_retransmissions_total"])
        if each.subject.key == "nfs-client"
    )
    assert nfs.state is CoverageLevel.PARTLY
    assert all("--collector.mountstats" in part.given_by for part in nfs.missing)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("DCGM_FI_DEV_XID_ERRORS", "xid"),
        ("nvidia_smi_xid_errors_total", "xid"),
        ("vast_cnode_metrics_ProtoMetrics_md_iops", "storage-server"),
        ("kube_pod_info", "scheduler"),
        ("training_step_seconds", "steps"),
        ("node_timex_offset_seconds", "clocks"),
    ],
)
def test_any_exporter_of_a_subject_will_do(name: str, key: str) -> None:
    assert state_of(key, []) is CoverageLevel.ABSENT
    assert state_of(key, [name]) is CoverageLevel.MEASURED


def test_series_with_other_labels_measure_nothing() -> None:
    told = {NFS: [{"operation": "FSINFO"}]}
    part = next(each for each in covered([NFS], told) if each.subject.key == "nfs-client").parts[0]
    assert part.state is CoverageLevel.ABSENT
    told = {NFS: [{"operation": "FSINFO"}, {"operation": "WRITE"}]}
    part = next(each for each in covered([NFS], told) if each.subject.key == "nfs-client").parts[0]
    assert part.metrics == (NFS,)


def test_what_the_issue_asks_for_is_looked_for() -> None:
    wanted = {
        *("gpu-pcie", "nic", "optics", "nvlink", "gpu-memory", "xid", "cuda-runtime"),
        *("silent-corruption", "nfs-client", "storage-server", "scheduler", "steps", "monitoring"),
    }
    assert wanted <= {each.key for each in subjects()}
    assert all(each.without and each.name for each in subjects())


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("layer = 'gpu'", "layer = 'car'"),
        ("'gpu.xid'", "'gpu.xyd'"),
        ("given_by = 'dcgm", "givenby = 'dcgm"),
        ("signals = ['gpu.xid',", "signal = ['gpu.xid',"),
        ("name = 'Xid errors'\n", ""),
    ],
)
def test_a_wrong_subject_is_refused_by_name(tmp_path: Path, was: str, becomes: str) -> None:
    file = tmp_path / "subjects.toml"
    file.write_text(FILE.read_text(encoding="utf-8").replace(was, becomes, 1))
    with pytest.raises(CatalogError, match=r"subjects\.toml: xid"):
        load(file=file, known=catalog())
