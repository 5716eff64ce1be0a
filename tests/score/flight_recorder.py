"""Recorded flight-recorder dumps: the exact ranks that an expert's tool names, however they come.

Beside the dumps as they are: all of them as JSON, as a tar, shuffled into one folder with doubles
in the other form, and with each single dump lost, where no innocent rank may be named.
"""

import json
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from apps.diagnosis.diagnose import diagnose
from apps.telemetry.files.text_sources import open_paths
from tests.score.measures import Measure
from tests.score.readings import read_all

READ_AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was named of one form of a recorded case."""

    name: str
    form: str
    expected: tuple[int, ...]
    ranks: tuple[int, ...]
    is_likely: bool

    @property
    def is_exact(self) -> bool:
        """Say whether exactly the expected ranks were named."""
        return self.ranks == self.expected


def read(*, folder: Path) -> list[Found]:
    """Return what is named of every case of the folder in every form."""
    found = []
    for path in sorted(folder.glob("*_reference.txt")):
        name = path.name.removesuffix("_reference.txt")
        last = path.read_text(encoding="utf-8").strip().rpartition("|")[2]
        expected = tuple(sorted(int(one) for one in last.split(",")))
        with tempfile.TemporaryDirectory() as scratch:
            for form, place in _forms(folder / name, Path(scratch)):
                found.append(_named(name, form, expected, place))
    return found


def _forms(dumps: Path, scratch: Path) -> Iterator[tuple[str, Path]]:
    yield "pickles", dumps
    together = dumps.with_suffix(".json")
    yield "json", together
    packed = scratch / "dumps.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(dumps, arcname="flight-recorder")
    yield "tar", packed
    mixed = scratch / "mixed"
    mixed.mkdir()
    for path in sorted(dumps.glob("_dump_*"), reverse=True):
        rank = path.name.rpartition("_")[2]
        (mixed / f"nccl_trace_rank_{rank}").write_bytes(path.read_bytes())
        value = json.loads(together.read_bytes())[rank]
        (mixed / f"again_rank_{rank}.json").write_text(json.dumps(value), encoding="utf-8")
    yield "mixed and doubled", mixed
    for path in sorted(dumps.glob("_dump_*")):
        rest = scratch / f"without{path.name}"
        rest.mkdir()
        for other in dumps.glob("_dump_*"):
            if other != path:
                (rest / other.name).write_bytes(other.read_bytes())
        yield f"lost {path.name.rpartition('_')[2]}", rest


def _named(name: str, form: str, expected: tuple[int, ...], place: Path) -> Found:
    lost = int(form.removeprefix("lost ")) if form.startswith("lost ") else None
    known = tuple(rank for rank in expected if rank != lost)
    readings = list(read_all(sources=open_paths(paths=[str(place)], now=READ_AT)))
    diagnosis = diagnose(readings=readings)
    first = diagnosis.first_stopper
    return Found(
        name=name,
        form=form,
        expected=known or expected,  # who is waited for and wrote nothing is named for that
        ranks=first.ranks if first else (),
        is_likely=diagnosis.verdict.status.value == "likely",
    )


def measures(*, found: Sequence[Found]) -> list[Measure]:
    """Return how many were named exactly, whole and with a dump lost."""
    whole = [one for one in found if not one.form.startswith("lost ")]
    lost = [one for one in found if one.form.startswith("lost ")]
    return [
        Measure(
            name="flight recorder: exact ranks, in every form",
            hits=sum(one.is_exact for one in whole),
            n=len(whole),
            at_least=1.0,
        ),
        Measure(
            name="flight recorder: exact ranks, one dump lost",
            hits=sum(one.is_exact for one in lost),
            n=len(lost),
        ),
        Measure(
            name="flight recorder: `likely` from dumps alone",
            hits=sum(one.is_likely for one in found),
            n=len(found),
            at_most=0.0,
        ),
    ]


def failures(*, found: Sequence[Found]) -> list[str]:
    """Return a line per case that was not named exactly."""
    return [
        f"{one.name} ({one.form}): named {list(one.ranks)}, expected {list(one.expected)}"
        for one in found
        if not one.is_exact
    ]
