"""What was done to each run over nodes, and which part it belongs to."""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.score.gauge.labels import part_of

LABELS: Final = Path(__file__).with_name("labels.csv")


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

    @property
    def part(self) -> str:
        """Return `learn` or `held`: by the name alone, so nobody chooses."""
        return part_of(case_id=self.name)


def read_labels(*, path: Path = LABELS) -> list[RunLabel]:
    """Return the labels, as they stand in the file."""
    with path.open(encoding="utf-8", newline="") as rows:
        return [_label(row) for row in csv.DictReader(rows)]


def _label(row: dict[str, str]) -> RunLabel:
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
    )
