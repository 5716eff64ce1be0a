"""How a score that alerts would be paged and what it would find; labels are never adjusted.

A page is an hour that begins with an alerting row outside every label and covers what follows in
that hour. An incident is found when any of its rows alerts. Counting false runs instead would call
a score that always alerts perfect: it is one run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from apps.diagnosis.stats import Floats, Mask, runs

BUDGETS: Final = (0.1, 0.5, 1.0)  # false pages per machine-day
Span = tuple[int, int]  # rows from the first to before the last


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What one threshold gives on one machine."""

    found: int
    incidents: int
    pages: int
    days: float


def spans(label: Mask) -> list[Span]:
    """Return the labelled incidents."""
    return [(start, end) for _, start, end in runs(label[None, :])]


def pages(alerting: Mask, *, hour: int) -> int:
    """Count the started hours of alerting."""
    rows = np.flatnonzero(alerting)
    count = 0
    while len(rows):
        count += 1
        rows = rows[np.searchsorted(rows, rows[0] + hour) :]
    return count


def judged(scores: Floats, label: Mask, *, threshold: float, hour: int) -> Judged:
    """Return what one threshold finds and what it pages falsely."""
    alerting = scores >= threshold
    incidents = spans(label)
    return Judged(
        found=sum(bool(alerting[start:end].any()) for start, end in incidents),
        incidents=len(incidents),
        pages=pages(alerting & ~label, hour=hour),
        days=len(scores) / (24 * hour),
    )


def best(scores: Floats, label: Mask, *, budget: float, hour: int) -> int:
    """Return how many incidents the best threshold finds within a budget of false pages a day.

    The threshold is chosen with the labels at hand, the same way for every method: an upper bound.
    Only scores at which another incident is found can be the best threshold.
    """
    highest = [float(scores[start:end].max()) for start, end in spans(label)]
    tried = (judged(scores, label, threshold=each, hour=hour) for each in set(highest))
    return max((one.found for one in tried if one.pages <= budget * one.days), default=0)


def hits(order: Sequence[int], responsible: frozenset[int], first: int) -> float:
    """Return the share of the responsible columns among the first ones of a ranking."""
    return len(responsible & set(order[:first])) / min(first, len(responsible))


def average_at_five(order: Sequence[int], responsible: frozenset[int]) -> float:
    """Return the mean share of responsible columns among the first one to five."""
    return float(np.mean([hits(order, responsible, first) for first in range(1, 6)]))


def hit_rate(order: Sequence[int], responsible: frozenset[int]) -> float:
    """Return the share found among as many first columns as are responsible (HitRate@100 %)."""
    return hits(order, responsible, len(responsible))
