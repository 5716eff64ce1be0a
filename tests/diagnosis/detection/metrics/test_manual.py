"""The examples of docs/metrics.md work as they stand."""

import re
from dataclasses import replace
from pathlib import Path

from apps.diagnosis.detection.known_detectors import all_detectors
from apps.diagnosis.detection.metrics import coverage
from apps.diagnosis.detection.metrics.load import catalog, load
from apps.diagnosis.model import ReadSchedule, Signal

MANUAL = Path(__file__).parents[4] / "docs" / "metrics.md"
EXAMPLES = re.findall(r"```toml\n(.*?)```", MANUAL.read_text(encoding="utf-8"), re.DOTALL)


def test_the_signal_the_group_and_the_labels_of_the_manual_load(tmp_path: Path) -> None:
    block, group, exporter, _ = EXAMPLES
    (tmp_path / "some.toml").write_text(f"{exporter}\n{block}\n{group}")
    known = load(folder=tmp_path)
    assert known.signals["gpu.pcie.replays"] == _renamed("gpu.pcie.replays")
    assert known.signals["nfs.server_read"].read is ReadSchedule.AROUND
    assert known.signals["node_mountstats_nfs_write_pages_total"].meaning.startswith(
        "Pages written"
    )
    assert known.labels["some"].prefix == ("DCGM_",)


def _renamed(name: str) -> Signal:
    return replace(catalog().signals[name], exporter="some", is_core=False)


def test_the_subject_of_the_manual_loads(tmp_path: Path) -> None:
    file = tmp_path / "subjects.toml"
    file.write_text(EXAMPLES[-1])
    (subject,) = coverage.load(file=file, known=catalog())
    assert subject.key == "gpu-pcie"


def test_the_manual_names_each_file_of_the_catalog() -> None:
    text = MANUAL.read_text(encoding="utf-8")
    assert all(
        f"`{name}`" in text or name in {"other", "backendai_manager", "node_other"}
        for name in catalog().labels
    )


def test_the_manual_names_each_detector() -> None:
    text = MANUAL.read_text(encoding="utf-8")
    assert [each.name for each in all_detectors() if f"`{each.name}`" not in text] == []
