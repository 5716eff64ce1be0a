"""Measurements of whole batches, kept for where their texts aren't: totals only, and their day."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tests.score.gauge.labels import BATCHES
from tests.score.measures import Measure

KEPT: Final = Path(__file__).with_name("measured.csv")
COLUMNS: Final = ("batch", "look", "part", "measure", "hits", "n", "day")
FIRST_LOOK, LAST = "first", "last"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One share of a part of a batch, as it was measured on all of the batch's texts."""

    batch: str
    look: str  # "first": before the engine was worked on beside it; "last": the latest one since
    part: str
    measure: str
    hits: int
    n: int
    day: str

    @property
    def row(self) -> Measure:
        """Return it as a row of the table, whose name says when it was."""
        said = "as first seen" if self.look == FIRST_LOOK else "last measured whole"
        name = f"gauge, {self.batch} batch, {self.part}: {self.measure} ({said}, {self.day})"
        return Measure(name=name, hits=self.hits, n=self.n)


def read_kept(*, path: Path | None = None) -> list[Kept]:
    """Return what was kept, in its order; nothing where the file isn't."""
    path = path or KEPT
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as rows:
        return [_kept(row) for row in csv.DictReader(rows)]


def _kept(row: dict[str, str]) -> Kept:
    return Kept(
        batch=row["batch"],
        look=row["look"],
        part=row["part"],
        measure=row["measure"],
        hits=int(row["hits"]),
        n=int(row["n"]),
        day=row["day"],
    )


def rows_beside(*, whole: Iterable[str], kept: Sequence[Kept]) -> list[Measure]:
    """Return the rows beside those of texts that are here: of a batch that is here as a whole
    what was said of it at first, of any other the last time that it was.
    """
    here = set(whole)
    return [one.row for one in kept if one.look == (FIRST_LOOK if one.batch in here else LAST)]


def with_measured(*, kept: Sequence[Kept], measured: Sequence[Kept]) -> list[Kept]:
    """Return what is to be kept: the first look of a batch stays, the last one is the new one."""
    seen = {one.batch for one in kept if one.look == FIRST_LOOK}
    now = {one.batch for one in measured}
    stays = [one for one in kept if one.look == FIRST_LOOK or one.batch not in now]
    firsts = [replace(one, look=FIRST_LOOK) for one in measured if one.batch not in seen]
    return sorted(
        [*stays, *firsts, *measured], key=lambda one: (list(BATCHES).index(one.batch), one.look)
    )


def write_kept(*, kept: Sequence[Kept], path: Path | None = None) -> None:
    """Write the file anew."""
    with (path or KEPT).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([getattr(one, name) for name in COLUMNS] for one in kept)
