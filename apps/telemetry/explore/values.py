"""Questions to metrics sources, their answers, and why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.detection.metrics.frames import Grid, grid_between
from apps.diagnosis.model import Device

MOST_POINTS: Final = 600
LEAST_STEP: Final = 15
LONGEST_DAYS: Final = 93
# Steps that read well on an axis, in seconds.
STEPS: Final = (15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400)


class QueryRefusal(StrEnum):
    """Why a question got no answer."""

    BAD_SPAN = "bad-span"  # it ends before it begins, or is longer than may be asked for
    NO_SIGNAL = "no-signal"  # the catalog has none of that name
    NOT_SERVED = "not-served"  # the source has no series of it
    TOO_MANY = "too-many-series"
    TOO_LONG = "query-too-long"
    REFUSED = "refused"  # the server says what is wrong with the query
    TOO_SLOW = "too-slow"
    UNREACHABLE = "unreachable"


class QuestionRefused(Exception):
    """A question that got no answer; `detail` is the server's word, without addresses."""

    def __init__(self, kind: QueryRefusal, detail: str = "") -> None:
        super().__init__(kind.value)
        self.kind, self.detail = kind, detail


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSpan:
    """From when until when."""

    starts_at: datetime
    ends_at: datetime

    def grid(self) -> Grid:
        """Return its instants, at most some hundred; raise QuestionRefused."""
        seconds = (self.ends_at - self.starts_at).total_seconds()
        if not 0 < seconds <= LONGEST_DAYS * 86400:
            raise QuestionRefused(QueryRefusal.BAD_SPAN)
        wanted = max(LEAST_STEP, seconds / MOST_POINTS)
        step = next((each for each in STEPS if each >= wanted), STEPS[-1])
        start, end = self.starts_at.timestamp(), self.ends_at.timestamp()
        grid = grid_between(start=start, end=end, step=step)
        return grid if grid.count else Grid(start=end, step=step, count=1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricSeries:
    """One line of an answer. Gaps are NaN, never zero."""

    labels: Mapping[str, str]
    values: NDArray[np.float64]
    entity: Device | None = None  # None: an answer to PromQL, whose labels stand for themselves
    detail: str = ""  # which of several series of one part


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricAnswer:
    """What a source answered, on one grid."""

    promql: str  # gives the same there
    unit: str
    at: NDArray[np.float64]  # Unix seconds
    step: float
    series: tuple[MetricSeries, ...]
    more_count: int  # series that there is no room for
    warning: str  # what the server itself says is missing
    is_simulated: bool
