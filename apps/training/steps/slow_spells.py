"""Spells in which a run was slower than it had been: what a straggler costs."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, zip_longest

import numpy as np

from apps.training.steps.level_changes import LevelChange
from apps.training.steps.step_times import StepTime

# A level this near to the quickest one is that one again.
LIKE = 1.03


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowSpell:
    """Steps of one attempt that took `ratio` times as long as they had taken before."""

    attempt: int
    first_step: int
    last_step: int
    starts_at: datetime
    ends_at: datetime
    ratio: float
    lost_seconds: float  # of their time: what it was longer than usual


def slow_spells(times: Sequence[StepTime], changes: Iterable[LevelChange]) -> list[SlowSpell]:
    """Return the spells between changes whose level lies over the quickest before them."""
    of_attempt: dict[int, list[LevelChange]] = {}
    for change in changes:
        of_attempt.setdefault(change.attempt, []).append(change)
    return [
        spell
        for attempt, some in groupby(times, key=lambda one: one.attempt)
        for spell in _spells(list(some), of_attempt.get(attempt, []))
    ]


def _spells(times: Sequence[StepTime], changes: Sequence[LevelChange]) -> Iterator[SlowSpell]:
    steps = [each.step for each in times]
    begins = [bisect_left(steps, change.step) for change in changes]
    level = usual = 1.0
    for change, begin, end in zip_longest(changes, begins, begins[1:]):
        level *= change.ratio
        usual = min(usual, level)
        within = times[begin:end]
        if level > usual * LIKE and within:
            yield _spell(within, level / usual)


def _spell(within: Sequence[StepTime], ratio: float) -> SlowSpell:
    spent = float(np.sum([each.seconds * each.steps for each in within]))
    return SlowSpell(
        attempt=within[0].attempt,
        first_step=within[0].step,
        last_step=within[-1].step,
        starts_at=within[0].ends_at,
        ends_at=within[-1].ends_at,
        ratio=ratio,
        lost_seconds=spent * (1 - 1 / ratio),
    )
