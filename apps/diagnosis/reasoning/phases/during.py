"""What the session was doing when it stopped."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from apps.diagnosis.model import Observation, Phase
from apps.diagnosis.reasoning.phases.words import BEGINS, STEPS

# A rank prints a step a moment after the others began to wait behind it.
LATE_STEP = timedelta(seconds=5)


def phase(*, observations: Sequence[Observation], failed_at: datetime | None) -> Phase:
    """Return the phase of the last progress before the failure."""
    best: tuple[bool, datetime | None, int, Phase] | None = None
    for one in observations:
        shown = _shown(one)
        if shown is None or (one.at and failed_at and one.at - one.error - LATE_STEP > failed_at):
            continue
        number = max((event.line.number for event in one.events), default=0)
        candidate = (one.last_at is not None, one.last_at, number, shown)
        if best is None or _later(candidate, best):
            best = candidate
    return best[3] if best else Phase.UNKNOWN


def last_step_at(*, observations: Sequence[Observation]) -> datetime | None:
    """Return when the session made its last step, at the earliest."""
    made = (one.last_at - one.error for one in observations if one.sign in STEPS and one.last_at)
    return max(made, default=None)


def _shown(one: Observation) -> Phase | None:
    return Phase.ITERATE if one.sign in STEPS else BEGINS.get(one.sign)


def _later(
    one: tuple[bool, datetime | None, int, Phase], other: tuple[bool, datetime | None, int, Phase]
) -> bool:
    """Compare by time where both have one, else by position in the log."""
    if one[1] is not None and other[1] is not None and one[1] != other[1]:
        return one[1] > other[1]
    return one[2] > other[2]
