"""When the steps of a run became slower or quicker, found within three steps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

import numpy as np

from apps.diagnosis.stats import Floats
from apps.training.steps.step_times import StepTime
from apps.training.steps.usual import UsualTime
from apps.training.steps.workload import fitted, workload_of

TOGETHER = 3
# A step this many bounds over the next one is wild: a pause that nobody marked.
WILD = 2.0
# How far back a change may have begun before three steps showed it.
REACH = 12
# A fit is made anew when twice as many steps are known, up to here.
LAST_FIT = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelChange:
    """Steps took another time from one step on: by `ratio`, whatever each had to do."""

    attempt: int
    step: int  # the first at the other level
    at: datetime
    found_step: int
    found_at: datetime
    before_seconds: float
    after_seconds: float
    ratio: float

    @property
    def is_slower(self) -> bool:
        """Say whether steps take longer since."""
        return self.ratio > 1


def level_changes(times: Sequence[StepTime]) -> list[LevelChange]:
    """Return the changes of each attempt in order, each found from the steps before it alone.

    Where each step says what it had to do, its time is compared with what that took before.
    """
    attempts = groupby(times, key=lambda one: one.attempt)
    return [change for _, some in attempts for change in _changes(list(some))]


def _changes(times: Sequence[StepTime]) -> Iterator[LevelChange]:
    seconds = np.array([each.seconds for each in times])
    relative = _relative(seconds, workload_of(times))
    usual = UsualTime()
    began = 0  # nothing before it can be of the next change
    learnt = -1  # the last step that is known as usual
    for at in range(len(times)):
        if np.isnan(relative[at]):
            began = at + 1
        elif at - began >= TOGETHER:
            if at - TOGETHER > learnt:
                usual.add(float(relative[at - TOGETHER]))
            moved = _moved(relative[at - TOGETHER + 1 : at + 1] - usual.level, usual)
            if moved:
                first = _first(relative, range(began, at + 1), usual, moved)
                level = usual.level
                usual.restart(relative[first : at + 1].tolist())
                # The middle one, as the times that stand beside it: one wild step moves neither.
                ratio = float(np.exp(np.median(relative[first : at + 1]) - level))
                yield _change(times, range(began, at + 1), first, ratio)
                began, learnt = first, at


def _change(times: Sequence[StepTime], span: range, first: int, ratio: float) -> LevelChange:
    """Return a change at `first` that the last step of a span showed."""
    found = span[-1]
    return LevelChange(
        attempt=times[first].attempt,
        step=times[first].step,
        at=times[first].ends_at,
        found_step=times[found].step,
        found_at=times[found].ends_at,
        before_seconds=_median(times[span.start : first]),
        after_seconds=_median(times[first : found + 1]),
        ratio=ratio,
    )


def _relative(seconds: Floats, work: Floats | None) -> Floats:
    """Return the logarithm of each step's time over what it was bound to take.

    NaN until enough steps say how time grows with the work. Each is measured by steps before it.
    """
    if work is None:
        return np.asarray(np.log(seconds))
    bound = np.full(len(seconds), np.nan)
    for known, until in _fits(len(seconds)):
        model = fitted(work[:known], seconds[:known])
        if model is not None:
            scale = _scale(bound[:known], work[:known] @ model)
            bound[known:until] = scale * (work[known:until] @ model)
    return np.asarray(np.log(seconds / np.where(bound > 0, bound, np.nan)))


def _scale(former: Floats, fresh: Floats) -> float:
    """Return by what a fit is multiplied to go on at the level of the former one.

    Steps that became slower meanwhile would lift it, and the others would seem quicker.
    """
    with np.errstate(invalid="ignore"):
        ratios = former / fresh
    known = ratios[np.isfinite(ratios) & (ratios > 0)]
    return float(np.median(known)) if len(known) else 1.0


def _fits(count: int) -> Iterator[tuple[int, int]]:
    known = 16
    while known < count:
        last = known >= LAST_FIT
        yield known, count if last else min(count, 2 * known)
        known = count if last else 2 * known


def _moved(three: Floats, usual: UsualTime) -> int:
    """Return 1 where three steps together are slower than usual, -1 where quicker, else 0."""
    if not usual.is_warm:
        return 0
    if _differ(three, usual.slower_bound):
        return 1
    return -1 if _differ(-three, usual.quicker_bound) else 0


def _differ(three: Floats, bound: float) -> bool:
    low, middle, high = sorted(three.tolist())
    # One wild step is no change: the other two have to show it without it.
    if high - middle > WILD * bound:
        high = (low + middle) / 2
    return bool(low + middle + high >= TOGETHER * bound)


def _first(relative: Floats, span: range, usual: UsualTime, moved: int) -> int:
    """Return where a change began that the last steps of a span showed."""
    half = (usual.slower_bound if moved > 0 else usual.quicker_bound) / 2
    first = span[-1] - TOGETHER + 1
    earliest = max(span.start + 1, span[-1] - REACH)
    if moved * (relative[first] - usual.level) < half:
        return first + 1
    while first > earliest and moved * (relative[first - 1] - usual.level) >= half:
        first -= 1
    return first


def _median(times: Sequence[StepTime]) -> float:
    return float(np.median([each.seconds for each in times]))
