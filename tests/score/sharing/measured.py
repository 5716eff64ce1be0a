"""What tests counted and how long it took, read from the report of their run."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from xml.etree import ElementTree as ET

from tests.bench.__main__ import PARTS, run

ROOT: Final = Path(__file__).parents[3]
# What a test says of itself: `record_property(COUNTED, 12)`.
COUNTED: Final = "counted"
SECONDS: Final = "seconds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What came of the tests or the bench of a promise."""

    counted: int  # what tests counted themselves, else the tests
    failed: int = 0
    skipped: int = 0
    value: float | None = None
    unit: str = "s"
    required: float | None = None


def of_tests(*, paths: Sequence[str]) -> Measured:
    """Run tests and return what they counted."""
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        subprocess.run(  # noqa: S603  our own tests
            [
                *(sys.executable, "-m", "pytest", "-q", "-n", os.environ.get("WORKERS", "0")),
                *("-o", "addopts=-ra --strict-markers", f"--junitxml={report}"),
                *("-o", "junit_family=xunit1"),  # the one that has properties of tests
                *(f"tests/{each}" for each in paths),
            ],
            cwd=ROOT,
            check=False,
        )
        return read(report.read_text(encoding="utf-8")) if report.is_file() else Measured(counted=0)


def read(report: str) -> Measured:
    """Return what a report of tests in JUnit's format holds."""
    cases = list(ET.fromstring(report).iter("testcase"))  # noqa: S314  our own
    found: dict[str, list[float]] = {COUNTED: [], SECONDS: []}
    for each in cases:
        for told in each.iter("property"):
            found.setdefault(told.attrib["name"], []).append(float(told.attrib["value"]))
    faults = [each for each in cases if {*(child.tag for child in each)} & {"failure", "error"}]
    skipped = [each for each in cases if each.find("skipped") is not None]
    return Measured(
        counted=round(sum(found[COUNTED])) or len(cases),
        failed=len(faults),
        skipped=len(skipped),
        value=max(found[SECONDS], default=None),
    )


def of_bench(part: str) -> Mapping[str, Measured]:
    """Run a part of the bench and return its figures by name."""
    said, _ = run(part)
    return {
        figure.name: Measured(
            counted=int(value is not None),
            value=value,
            unit=figure.unit,
            required=figure.required,
        )
        for figure in PARTS[part]
        for value in [figure.read(said)]
    }
