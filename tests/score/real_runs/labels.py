"""What was done to each run over nodes, and which part it belongs to."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.score.gauge.labels import part_of

LABELS: Final = {
    "first": Path(__file__).with_name("labels.csv"),
    "third": Path(__file__).with_name("third.csv"),
    "fourth": Path(__file__).with_name("fourth.csv"),
}
# Parts whose runs were made, and labelled, after the others were read.
THIRD: Final = "third"
FOURTH: Final = "fourth"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLabel:
    """One run, as whoever broke it knows it."""

    name: str
    framework: str
    broken_by: str
    layer: str
    causes: tuple[str, ...]  # several where its logs can't tell them apart
    host: str  # at fault; empty: none, or all alike
    ranks: tuple[int, ...]  # that stopped first; empty: none of their own
    end: str
    is_diagnosable: bool
    confidence: str
    batch: str

    @property
    def part(self) -> str:
        """Return `third` or `fourth`, else `learn` or `held`: by the name, so nobody chooses."""
        return self.batch if self.batch in {THIRD, FOURTH} else part_of(case_id=self.name)


def read_labels(*, files: Mapping[str, Path] = LABELS) -> list[RunLabel]:
    """Return the labels of each batch, as they stand in its file."""
    return [label for batch, path in files.items() for label in _batch(batch, path)]


def _batch(batch: str, path: Path) -> list[RunLabel]:
    with path.open(encoding="utf-8", newline="") as rows:
        return [_label(row, batch) for row in csv.DictReader(rows)]


def _label(row: dict[str, str], batch: str) -> RunLabel:
    return RunLabel(
        name=row["name"],
        framework=row["framework"],
        broken_by=row["broken_by"],
        layer=row["layer"],
        causes=tuple(row["causes"].split("|")),
        host=row["host"],
        ranks=tuple(map(int, row["ranks"].split())),
        end=row["end"],
        is_diagnosable=row["diagnosable"] == "yes",
        confidence=row["confidence"],
        batch=batch,
    )
