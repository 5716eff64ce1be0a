"""Step times as a strip of bounded size, however long a run is."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

import numpy as np

from apps.training.steps.step_times import StepTime

BUCKETS = 240
# A count of steps may leap by more than a calendar has room for.
LONGEST_SECONDS = 366 * 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StripBucket:
    """Some steps of one attempt that follow each other: the quickest, the middle, the slowest."""

    attempt: int
    first_step: int
    last_step: int
    starts_at: datetime
    ends_at: datetime
    count: int
    least_seconds: float
    median_seconds: float
    most_seconds: float
    paused_seconds: float
    tokens_per_second: float | None  # the median of those that are told
    loss: float | None  # the last that was told


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStrip:
    """The buckets of a run by attempt and step; so many attempts before them are left out."""

    buckets: tuple[StripBucket, ...]
    left_out_count: int = 0


def step_strip(times: Sequence[StepTime], *, buckets: int = BUCKETS) -> StepStrip:
    """Return at most so many buckets; none spans two attempts.

    Half of them are kept for attempts of few steps: of a run with more attempts than that, the
    first ones are left out.
    """
    attempts = [list(some) for _, some in groupby(times, key=lambda one: one.attempt)]
    drawn = attempts[-(buckets // 2) :]
    total = sum(len(each) for each in drawn)
    size = max(1, -(-total // max(1, buckets - len(drawn))))
    made = tuple(_bucket(some) for each in drawn for some in _cut(each, size))
    return StepStrip(buckets=made, left_out_count=len(attempts) - len(drawn))


def _cut(times: Sequence[StepTime], size: int) -> Iterator[Sequence[StepTime]]:
    for first in range(0, len(times), size):
        yield times[first : first + size]


def _bucket(some: Sequence[StepTime]) -> StripBucket:
    first, last = some[0], some[-1]
    seconds = np.array([each.seconds for each in some])
    started = min(first.seconds * first.steps + first.paused_seconds, LONGEST_SECONDS)
    return StripBucket(
        attempt=first.attempt,
        first_step=first.step,
        last_step=last.step,
        starts_at=first.ends_at - timedelta(seconds=started),
        ends_at=last.ends_at,
        count=len(some),
        least_seconds=float(seconds.min()),
        median_seconds=float(np.median(seconds)),
        most_seconds=float(seconds.max()),
        paused_seconds=sum(each.paused_seconds for each in some),
        tokens_per_second=_median(each.tokens_per_second for each in some),
        loss=next((each.loss for each in reversed(some) if each.loss is not None), None),
    )


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else None
