"""What each case of the gauge was, who established it, and which part it belongs to."""

import csv
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BATCHES = {
    "first": Path(__file__).with_name("labels.csv"),
    "second": Path(__file__).with_name("second.csv"),
    "third": Path(__file__).with_name("third.csv"),
    "fourth": Path(__file__).with_name("fourth.csv"),
    "fifth": Path(__file__).with_name("fifth.csv"),
}
# A second reader's labels of a share of the rows, made without the engine as well.
REREAD = {"fourth": Path(__file__).with_name("fourth_reread.csv")}
LEARN, HELD = "learn", "held"
GRADES = ("confidence", "log_grade", "label_basis")


class BadLabel(ValueError):
    """A row of the labels that says what its id denies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GaugeLabel:
    """One labelled thread, without its text."""

    id: str
    source: str
    case: dict[str, Any]  # what measures read of a case
    sha256: str
    batch: str

    @property
    def part(self) -> str:
        """Return the part that the id falls into."""
        return part_of(case_id=self.id)


def part_of(*, case_id: str) -> str:
    """Return `learn` or `held`: by the id alone, so nobody chooses."""
    return HELD if hashlib.sha256(case_id.encode()).digest()[0] % 2 else LEARN


def digest(*, logs: list[dict[str, Any]]) -> str:
    """Return the SHA-256 of the logs of a case, whatever the order of their keys."""
    text = json.dumps(logs, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def read_labels(*, files: Mapping[str, Path] = BATCHES) -> list[GaugeLabel]:
    """Return the labels of each batch; raise BadLabel for a row in another part than its id's."""
    return [label for batch, path in files.items() for label in _batch(batch, path)]


def read_rereading(*, files: Mapping[str, Path] = REREAD) -> dict[str, dict[str, Any]]:
    """Return what a second reader made of each case that was read again: fields of `case`."""
    found: dict[str, dict[str, Any]] = {}
    for path in files.values():
        with path.open(encoding="utf-8", newline="") as rows:
            for row in csv.DictReader(rows):
                case = {name: row[name] for name in ("layer", "cause", "confidence", "label_basis")}
                found[row["id"]] = case | {"diagnosable_from_logs": row["diagnosable"] == "yes"}
    return found


def _batch(batch: str, path: Path) -> list[GaugeLabel]:
    with path.open(encoding="utf-8", newline="") as rows:
        return [_label(row, batch) for row in csv.DictReader(rows)]


def _label(row: dict[str, str], batch: str) -> GaugeLabel:
    if row["split"] != part_of(case_id=row["id"]):
        raise BadLabel(f"{row['id']} belongs to {part_of(case_id=row['id'])}")
    case: dict[str, Any] = {name: row[name] for name in ("id", "layer", "cause", *GRADES)}
    case |= {"diagnosable_from_logs": row["diagnosable"] == "yes", "batch": batch}
    return GaugeLabel(
        id=row["id"], source=row["source"], case=case, sha256=row["sha256"], batch=batch
    )
