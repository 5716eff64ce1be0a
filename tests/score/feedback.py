"""Verdicts that people judged: is what was stated as often right as it says?

Reads what `manage.py feedback export` writes. `python -m tests.score --feedback FILE` prints the
table; FAULTLINE_FEEDBACK names a file that `make score` and the calibration count, too.
"""

import json
import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from apps.diagnosis.intervals import wilson
from tests.score.calibration import Forecast

SCHEMA = "faultline.feedback/1"
STEPS = (0.0, 0.5, 0.65, 0.8, 0.9, 1.0)
FEW = 10
NAMED = frozenset({"likely", "possible"})
Case = dict[str, Any]


class BadFeedback(ValueError):
    """A file that is no export of feedback; the message names the line."""


def read(*, path: Path) -> list[Case]:
    """Return the judged incidents of a file; raise BadFeedback."""
    found = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        try:
            case = json.loads(line)
            is_ours = case["schema"] == SCHEMA and 0 <= case["verdict"]["probability"] <= 1
        except (ValueError, KeyError, TypeError) as error:
            raise BadFeedback(f"{path}:{number}: no line of {SCHEMA}") from error
        if not is_ours:
            raise BadFeedback(f"{path}:{number}: no line of {SCHEMA}")
        found.append(case)
    return found


def forecasts_of(*, cases: Sequence[Case]) -> list[Forecast]:
    """Return the forecast of each case on which its parties agree."""
    return [
        Forecast(
            stated=float(case["verdict"]["probability"]),
            is_right=bool(case["layer_right"]),
            is_open=case["verdict"]["status"] == "unknown",
        )
        for case in cases
        if case["layer_right"] is not None and case["verdict"]["status"] in {*NAMED, "unknown"}
    ]


def named_by_environment() -> list[Forecast]:
    """Return the forecasts of the file that FAULTLINE_FEEDBACK names; none without one."""
    name = os.environ.get("FAULTLINE_FEEDBACK", "")
    return forecasts_of(cases=read(path=Path(name))) if name else []


def table(*, cases: Sequence[Case]) -> str:
    """Return stated probability beside the share that was right, and how right each layer was."""
    found = forecasts_of(cases=cases)
    named = [one for one in found if not one.is_open]
    disputed = sum(case["layer_right"] is None for case in cases)
    simulated = sum(bool(case["simulated"]) for case in cases)
    head = (
        f"{len(cases)} judged incidents, {disputed} on which the parties contradict each other, "
        f"{simulated} simulated. People judge what they noticed: no random sample."
    )
    lines = [
        head,
        "",
        "| stated | n | on average | right | 95 % interval | |",
        "|---|---|---|---|---|---|",
        *(_step(named, low, high) for low, high in pairwise(STEPS)),
        "",
        "| layer blamed | n | layer right | 95 % interval | cause right |",
        "|---|---|---|---|---|",
        *(_layer(cases, layer) for layer in sorted({case["verdict"]["layer"] for case in cases})),
    ]
    return "\n".join(lines)


def _step(found: Sequence[Forecast], low: float, high: float) -> str:
    inside = [e for e in found if low <= e.stated < high or (high == STEPS[-1] == e.stated)]
    hits, n = sum(one.is_right for one in inside), len(inside)
    if not n:
        return f"| {low:.2f} to {high:.2f} | 0 | – | – | – | nothing judged |"  # noqa: RUF001  no number
    stated = sum(one.stated for one in inside) / n
    least, most = wilson(hits, n)
    told = _told(stated=stated, least=least, most=most, n=n)
    return (
        f"| {low:.2f} to {high:.2f} | {n} | {stated:.2f} | {hits / n:.2f} | "
        f"{least:.2f} to {most:.2f} | {told} |"
    )


def _told(*, stated: float, least: float, most: float, n: int) -> str:
    if n < FEW:
        return "too few to say"
    if stated > most:
        return "surer than it was right"
    return "less sure than it was right" if stated < least else "fits"


def _layer(cases: Sequence[Case], layer: str) -> str:
    told = [case for case in cases if case["verdict"]["layer"] == layer]
    agreed = [case for case in told if case["layer_right"] is not None]
    hits = sum(case["layer_right"] for case in agreed)
    least, most = wilson(hits, len(agreed))
    causes = [case["cause_right"] for case in told if case["cause_right"] is not None]
    return (
        f"| {layer} | {len(agreed)} | {hits} | {least:.2f} to {most:.2f} | "
        f"{sum(causes)} of {len(causes)} |"
    )
