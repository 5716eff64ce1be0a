"""The gauge: shares over its two parts, and single cases of the part to learn from only."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.score import cases
from tests.score.gauge.labels import BATCHES, HELD, LEARN, GaugeLabel, digest, read_labels
from tests.score.measures import Answer, Measure, measure

FOLDER = "FAULTLINE_GAUGE"
BESIDE = Path(__file__).parents[3].parent / "shared" / "gauge"
Logs = list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauged:
    """The answers on the texts that are as labelled, by part."""

    labelled: int
    by_part: Mapping[str, Sequence[Answer]]

    @property
    def read(self) -> int:
        """Return how many texts were answered."""
        return sum(len(answers) for answers in self.by_part.values())

    @property
    def batches(self) -> list[str]:
        """Return the batches of which a text was answered, in their order."""
        here = {one.case["batch"] for answers in self.by_part.values() for one in answers}
        return [batch for batch in BATCHES if batch in here]


def part() -> tuple[list[Measure], list[str]]:
    """Return the totals of both parts and no line of a case; absent texts have a row."""
    return totals(found=gauged(folder=texts_folder(), labels=read_labels())), []


def texts_folder() -> Path:
    """Return where the texts are expected."""
    return Path(os.environ.get(FOLDER) or BESIDE)


def gauged(*, folder: Path, labels: Sequence[GaugeLabel]) -> Gauged:
    """Return the answers on every text with the digest of its label."""
    texts = read_texts(folder=folder)
    by_part: dict[str, list[Answer]] = {LEARN: [], HELD: []}
    for label in labels:
        if is_as_labelled(label=label, logs=texts.get(label.id)):
            answer = cases.answer(case={**label.case, "logs": texts[label.id]})
            by_part[label.part].append(answer)
    return Gauged(labelled=len(labels), by_part=by_part)


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
    for name, answers in found.by_part.items():
        rows.extend(_of_part(name, answers, found.batches))
    return rows


def _of_part(name: str, answers: Sequence[Answer], batches: Sequence[str]) -> list[Measure]:
    """Return the shares of one part, whole and by batch; what has no text has no row."""
    groups = {f"gauge, {name}": answers} if len(batches) > 1 else {}
    for batch in batches:
        mine = [one for one in answers if one.case["batch"] == batch]
        groups[f"gauge, {batch} batch, {name}"] = mine
    return [row for title, ones in groups.items() if ones for row in shares(title, ones)]


def shares(name: str, answers: Sequence[Answer]) -> list[Measure]:
    """Return what is measured of one part."""
    known = [one for one in answers if one.is_diagnosable]
    open_ones = [one for one in answers if not one.is_diagnosable]
    return [
        measure(f"{name}: layer", known, lambda a: a.is_layer_right),
        measure(f"{name}: cause", known, lambda a: a.is_cause_right),
        measure(f"{name}: cause in top 3", known, lambda a: a.is_in_top3),
        measure(f"{name}: unknown or not diagnosable, abstains", open_ones, abstains),
        measure(f"{name}: likely and wrong", answers, lambda a: a.is_likely_wrong),
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
