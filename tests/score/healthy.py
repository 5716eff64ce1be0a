"""Logs of sessions without a hardware fault: none may be blamed on gpu, network or storage."""

import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Diagnosis, VerdictStatus
from apps.telemetry.files.text_sources import open_paths
from tests.score.measures import Measure
from tests.score.readings import read_all

READ_AT = datetime(2026, 1, 1, tzinfo=UTC)
HARDWARE = frozenset({"gpu", "network", "storage"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Healthy:
    """One healthy log with what was said about it."""

    name: str
    diagnosis: Diagnosis

    @property
    def is_blamed(self) -> bool:
        """Say whether hardware was blamed in a verdict."""
        return self.diagnosis.verdict.layer.value in HARDWARE


def paths(*, folder: Path) -> list[Path]:
    """Return the logs of the folder."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not path.name.endswith((".md", ".json"))
        and not tarfile.is_tarfile(path)
    ]


def read(*, folder: Path) -> list[Healthy]:
    """Return the diagnosis of every file of the folder by itself."""
    found = []
    for path in paths(folder=folder):
        readings = list(read_all(sources=open_paths(paths=[str(path)], now=READ_AT)))
        found.append(Healthy(name=path.name, diagnosis=diagnose(readings=readings)))
    return found


def measures(*, found: Sequence[Healthy]) -> list[Measure]:
    """Return blame and named ends over the healthy logs."""
    named = [one for one in found if one.diagnosis.end_state.value != "unknown"]
    quiet = [one for one in found if one.diagnosis.verdict.status is not VerdictStatus.LIKELY]
    return [
        Measure(
            name="training logs: hardware blamed",
            hits=sum(o.is_blamed for o in found),
            n=len(found),
            at_most=0.0,
        ),
        Measure(name="training logs: end state named", hits=len(named), n=len(found), at_least=1.0),
        Measure(name="training logs: nothing called likely", hits=len(quiet), n=len(found)),
    ]


def failures(*, found: Sequence[Healthy]) -> list[str]:
    """Return a line per blamed or unnamed log."""
    return [
        f"{one.name}: {one.diagnosis.verdict.status.value} {one.diagnosis.verdict.layer.value}/"
        f"{one.diagnosis.verdict.cause}, end {one.diagnosis.end_state.value}"
        for one in found
        if one.is_blamed or one.diagnosis.end_state.value in {"unknown", "failed"}
    ]
