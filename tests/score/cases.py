"""The recorded cases: what the diagnosis says of each, and the measures over them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

from apps.diagnosis.diagnose import diagnose
from apps.offline.cases import case_readings
from apps.wording.published import to_json
from tests.score.measures import Answer, Measure, measure


def answers(*, path: Path) -> list[Answer]:
    """Return the verdict on every case of the file."""
    return [answer(case=json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def answer(*, case: dict[str, Any]) -> Answer:
    """Return the verdict on one case, labelled as `measures` reads it."""
    said = to_json(diagnosis=diagnose(readings=case_readings(case=case)))
    causes = tuple(one["cause"] for one in said["hypotheses"])
    return Answer(case=case, verdict=said["verdict"], causes=causes)


def measures(*, found: Sequence[Answer]) -> list[Measure]:
    """Return the table of the issues."""
    strict = [one for one in found if one.is_strict]
    diagnosable = [one for one in found if one.is_diagnosable]
    open_ones = [one for one in found if not one.is_diagnosable]
    halves = [[one for one in diagnosable if _half(one) == side] for side in (0, 1)]
    return [
        measure("strict split: layer", strict, lambda a: a.is_layer_right, at_least=0.95),
        measure("strict split: cause", strict, lambda a: a.is_cause_right, at_least=0.85),
        measure("strict split: cause in top 3", strict, lambda a: a.is_in_top3, at_least=0.95),
        measure("all diagnosable: layer", diagnosable, lambda a: a.is_layer_right, at_least=0.90),
        measure("all diagnosable: cause", diagnosable, lambda a: a.is_cause_right, at_least=0.80),
        measure("first half by hash of the id: layer", halves[0], lambda a: a.is_layer_right),
        measure("second half by hash of the id: layer", halves[1], lambda a: a.is_layer_right),
        measure(
            "unknown or not diagnosable: abstains",
            open_ones,
            lambda a: a.is_abstention,
            at_least=0.90,
        ),
        measure(
            "likely and wrong, over everything", found, lambda a: a.is_likely_wrong, at_most=0.02
        ),
    ]


def failures(*, found: Sequence[Answer]) -> list[str]:
    """Return a line for each miss: ids and labels only, no text of the case."""
    return [_line(one) for one in found if _is_miss(one)]


def _is_miss(one: Answer) -> bool:
    if one.is_diagnosable:
        return not one.is_layer_right or not one.is_cause_right
    return not one.is_abstention


def _line(one: Answer) -> str:
    said, case = one.verdict, one.case
    kind = "strict" if one.is_strict else ("diagnosable" if one.is_diagnosable else "open")
    return (
        f"{case['id']} [{kind}] expected {case['layer']}/{case['cause']}, "
        f"said {said['status']} {said['layer']}/{said['cause']} ({said['probability']:.2f})"
    )


def _half(one: Answer) -> int:
    return crc32(one.case["id"].encode()) % 2
