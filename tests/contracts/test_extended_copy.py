"""Each example of docs/extending.md is added to a copy of the project, by its file alone, and works
there."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from apps.diagnosis.detection.known_detectors import all_detectors, anomaly_kinds
from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.logs.dialects import table
from apps.diagnosis.model import Origin
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.read import read_source
from apps.incidents.exports.known_formats import all_formats
from tests.contracts.extending_manual import ROOT, example, examples

pytestmark = pytest.mark.sweep

TRAINER = "apps/diagnosis/signatures/our_trainer.toml"
SCHEDULER = "apps/diagnosis/logs/dialects/our_scheduler.toml"
# Runs in the copy; what it finds is what the tests look at.
SEEN_THERE = (Path(__file__).parent / "seen_in_copy.py").read_text("utf-8")
COMPILED = shutil.ignore_patterns("__pycache__")


def step_lines() -> str:
    """Return six steps, as the trainer of the manual prints them."""
    line = tomllib.loads(example(TRAINER))["our-trainer-step"]["examples"][0]
    return "".join(line.replace(" 12 ", f" {number} ") + "\n" for number in range(12, 18))


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """Return what one process of the copy tells of everything that was added to it."""
    copy = tmp_path_factory.mktemp("extended")
    for folder in ("apps", "portal", "templates"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=COMPILED)
    for path, text in examples().items():
        assert not (copy / path).exists(), f"{path} is an example, and exists"
        (copy / path).write_text(text)
    said = {
        "log": step_lines(),
        "line": tomllib.loads(example(SCHEDULER))["our_scheduler"]["examples"][0],
    }
    found = subprocess.run(  # noqa: S603  this Python, and a program that stands here
        [sys.executable, "-c", SEEN_THERE],
        cwd=copy,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "portal.settings", "PYTHONPATH": str(copy)},
        input=json.dumps(said),
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    assert found.returncode == 0, found.stderr
    answer: Mapping[str, Any] = json.loads(found.stdout)
    return answer


def test_a_frameworks_step_line_is_counted(there: Mapping[str, Any]) -> None:
    here = diagnose(readings=[read_source(text=step_lines(), origin=Origin(source="train.log"))])
    assert here.phase.value == "unknown"
    assert there["steps"] == {"phase": "iterate", "pace": [[1.25] * 6]}


def test_a_signature_is_known(there: Mapping[str, Any]) -> None:
    assert set(there["signatures"]) - set(load_catalog()) == {"rack-leak", "our-trainer-step"}


def test_a_dialect_is_peeled(there: Mapping[str, Any]) -> None:
    assert "our_scheduler" not in {row.dialect.name for row in table.load_folder()}
    assert there["peeled"] == {
        "host": "n7",
        "rank": 3,
        "rest": "a worker is gone",
        "offset_seconds": 0,
    }


def test_a_detector_finds_what_it_looks_for_and_says_it(there: Mapping[str, Any]) -> None:
    assert "frozen" not in {one.name for one in all_detectors()} | anomaly_kinds().keys()
    assert there["found"] == [{"kind": "frozen", "signal": "rack.flow", "hosts": ["n2"]}]
    assert there["frozen"]["weight"] == 2.0
    name, _, did = there["frozen"]["said"].partition(": ")
    assert (name, did) == ("Coolant through the loop of the rack", "shows the same number for long")
    assert "A sensor shows the same number for long" in there["texts"]


def test_an_export_format_has_its_address_its_description_and_its_entry(
    there: Mapping[str, Any],
) -> None:
    assert list(all_formats()) == ["json", "csv", "ndjson", "md", "html", "pdf", "parquet"]
    assert there["menu"] == [
        ["JSON", "/api/v1/o/acme/incidents/I7/export.json"],
        ["CSV", "/api/v1/o/acme/incidents/I7/export.csv"],
        ["NDJSON", "/api/v1/o/acme/incidents/I7/export.ndjson"],
        ["Markdown", "/api/v1/o/acme/incidents/I7/export.md"],
        ["HTML", "/api/v1/o/acme/incidents/I7/export.html"],
        ["PDF", "/api/v1/o/acme/incidents/I7/export.pdf"],
        ["Parquet", "/api/v1/o/acme/incidents/I7/export.parquet"],
        ["Titles", "/api/v1/o/acme/incidents/I7/export.txt"],
    ]
    assert there["described"] == {
        "/api/v1/o/{organization}/incidents/export.txt": ["text/plain"],
        "/api/v1/o/{organization}/incidents/{public_id}/export.txt": ["text/plain"],
    }
    assert there["exported"] == "I7 it stopped\n"


def test_a_panel_draws_its_signal(there: Mapping[str, Any]) -> None:
    assert there["chart"] == {
        "key": "rack-flow",
        "title": "Coolant of the rack",
        "unit": "l/min, n2",
    }
