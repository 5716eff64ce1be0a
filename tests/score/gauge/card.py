"""The gauge: shares over its two parts, and single cases of the part to learn from only."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.score import cases
from tests.score.gauge import kept
from tests.score.gauge.labels import (
    BATCHES,
    HELD,
    LEARN,
    REREAD,
    GaugeLabel,
    digest,
    read_labels,
    read_rereading,
)
from tests.score.measures import Answer, Measure, measure

FOLDER = "FAULTLINE_GAUGE"
SECOND_READER = ", by a second reader"
BESIDE = Path(__file__).parents[3].parent / "shared" / "gauge"
Logs = list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauged:
    """The answers on the texts that are as labelled, by part."""

    labelled: int
    by_part: Mapping[str, Sequence[Answer]]
    whole: Sequence[str] = ()  # the batches of which every text is here

    @property
    def read(self) -> int:
        """Return how many texts were answered."""
        return sum(len(answers) for answers in self.by_part.values())

    @property
    def shown(self) -> dict[str, Sequence[Answer]]:
        """Return the answers by part, and once more by the labels of a second reader."""
        again = read_rereading()
        reread = {
            f"{name}{SECOND_READER}": [
                replace(one, case={**one.case, **again.get(one.case["id"], {})})
                for one in answers
                if one.case["batch"] in REREAD
            ]
            for name, answers in self.by_part.items()
        }
        return {**self.by_part, **{name: ones for name, ones in reread.items() if ones}}

    @property
    def batches(self) -> list[str]:
        """Return the batches of which a text was answered, in their order."""
        here = {one.case["batch"] for answers in self.by_part.values() for one in answers}
        return [batch for batch in BATCHES if batch in here]


def part() -> tuple[list[Measure], list[str]]:
    """Return the totals of both parts and no line of a case; absent texts have a row."""
    found = gauged(folder=texts_folder(), labels=read_labels())
    return [*totals(found=found), *beside(found=found)], []


def beside(*, found: Gauged) -> list[Measure]:
    """Return the rows of batches whose texts aren't all here, and what was said of others first."""
    return kept.rows_beside(whole=found.whole, kept=kept.read_kept())


def texts_folder() -> Path:
    """Return where the texts are expected."""
    return Path(os.environ.get(FOLDER) or BESIDE)


def gauged(*, folder: Path, labels: Sequence[GaugeLabel]) -> Gauged:
    """Return the answers on every text with the digest of its label."""
    texts = read_texts(folder=folder)
    by_part: dict[str, list[Answer]] = {LEARN: [], HELD: []}
    lacking: set[str] = set()
    for label in labels:
        if is_as_labelled(label=label, logs=texts.get(label.id)):
            answer = cases.answer(case={**label.case, "logs": texts[label.id]})
            by_part[label.part].append(answer)
        else:
            lacking.add(label.batch)
    batches = dict.fromkeys(label.batch for label in labels)
    whole = tuple(batch for batch in batches if batch not in lacking)
    return Gauged(labelled=len(labels), by_part=by_part, whole=whole)


def read_texts(*, folder: Path) -> dict[str, Logs]:
    """Return the logs of each case by its id, of the files of parts that are there."""
    files = [folder / f"{name}.jsonl" for name in (LEARN, HELD)]
    texts = [path.read_text("utf-8") for path in files if path.is_file()]
    lines = (line for text in texts for line in text.splitlines())
    return {case["id"]: case["logs"] for case in map(json.loads, lines)}


def is_as_labelled(*, label: GaugeLabel, logs: Logs | None) -> bool:
    """Say whether the logs are those that the label was made of."""
    return logs is not None and digest(logs=logs) == label.sha256


def totals(*, found: Gauged) -> list[Measure]:
    """Return the shares over each part, after that of texts which are as labelled."""
    rows = [Measure(name="gauge: texts here and as labelled", hits=found.read, n=found.labelled)]
    if absent := found.labelled - found.read:
        rows.append(Measure(name=f"gauge: absent: {absent} texts", hits=absent, n=found.labelled))
    for name, answers in found.shown.items():
        rows.extend(_of_part(name, answers, found.batches))
    return rows


def _of_part(name: str, answers: Sequence[Answer], batches: Sequence[str]) -> list[Measure]:
    """Return the shares of one part, whole and by batch; what has no text has no row."""
    is_whole = len(batches) > 1 and name in (LEARN, HELD)
    groups = {f"gauge, {name}": answers} if is_whole else {}
    for batch in batches:
        mine = [one for one in answers if one.case["batch"] == batch]
        groups[f"gauge, {batch} batch, {name}"] = mine
    return [row for title, ones in groups.items() if ones for row in shares(title, ones)]


def shares(name: str, answers: Sequence[Answer]) -> list[Measure]:
    """Return what is measured of one part, but for shares of nothing."""
    known = [one for one in answers if one.is_diagnosable]
    strict = [one for one in answers if one.is_strict]
    open_ones = [one for one in answers if not one.is_diagnosable]
    said = f"{name}: " if name else ""
    rows = [
        measure(f"{said}strict split, layer", strict, lambda a: a.is_layer_right),
        measure(f"{said}strict split, cause", strict, lambda a: a.is_cause_right),
        measure(f"{said}layer", known, lambda a: a.is_layer_right),
        measure(f"{said}cause", known, lambda a: a.is_cause_right),
        measure(f"{said}cause in top 3", known, lambda a: a.is_in_top3),
        measure(f"{said}unknown or not diagnosable, abstains", open_ones, abstains),
        measure(f"{said}likely and wrong", answers, lambda a: a.is_likely_wrong),
    ]
    return [row for row in rows if row.n]


def measured(*, found: Gauged, day: str) -> list[kept.Kept]:
    """Return the shares of each batch that is here as a whole, to be kept with their day."""
    return [
        kept.Kept(
            batch=batch,
            look=kept.LAST,
            part=name,
            measure=row.name,
            hits=row.hits,
            n=row.n,
            day=day,
        )
        for batch in found.whole
        for name, answers in found.shown.items()
        for row in shares("", [one for one in answers if one.case["batch"] == batch])
    ]


def abstains(one: Answer) -> bool:
    """Say whether the answer leaves the question open."""
    return one.is_abstention


def by_layer(*, found: Gauged) -> list[Measure]:
    """Return the shares of right layers and causes in the part to learn from."""
    known = [one for one in found.by_part[LEARN] if one.is_diagnosable]
    rows = []
    for layer in sorted({one.case["layer"] for one in known}):
        here = [one for one in known if one.case["layer"] == layer]
        rows.append(measure(f"gauge, learn, {layer}: layer", here, lambda a: a.is_layer_right))
        rows.append(measure(f"gauge, learn, {layer}: cause", here, lambda a: a.is_cause_right))
    return rows


def misses(*, found: Gauged) -> list[str]:
    """Return a line for each miss of the part to learn from: never one of the part held back."""
    return cases.failures(found=found.by_part[LEARN])
