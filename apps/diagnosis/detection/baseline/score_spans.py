"""Scores → episodes: rows at or above the threshold, joined over short gaps."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from apps.diagnosis.stats import Floats, runs

# Rows below the threshold between two that belong together.
BRIDGE: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSpan:
    """Rows `start` to before `end` that are unusual, with the highest score among them."""

    start: int
    end: int
    score: float


def spells(scores: Floats, *, threshold: float) -> tuple[ScoreSpan, ...]:
    """Return the episodes in order of time; each begins and ends with a row at the threshold."""
    unusual = (scores >= threshold)[None, :]
    return tuple(
        ScoreSpan(start=start, end=end, score=float(np.max(scores[start:end])))
        for _, start, end in runs(unusual, bridge=BRIDGE)
    )
