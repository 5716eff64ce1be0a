"""Between folding and the first stopper: what the session lived through did not stop it."""

from collections.abc import Sequence
from datetime import timedelta

from apps.diagnosis.model import Mark, Observation, Role
from apps.diagnosis.signatures.marks import marked

# A rank may still print a step that was done when another had failed.
LATE_STEP = timedelta(seconds=60)
# Words of starting and ending, which come beside a failure, too.
NO_STEPS = marked(Mark.STARTS_OR_ENDS)


def without_survived(*, observations: Sequence[Observation]) -> list[Observation]:
    """Return the observations without signs of failure after which the program went on.

    All are kept where nothing else tells of a failure.
    """
    steps = [
        one.last_at
        for one in observations
        if one.role is Role.PROGRESS and one.last_at and one.sign not in NO_STEPS
    ]
    last = max(steps, default=None)
    if last is None:
        return list(observations)
    kept = [
        one
        for one in observations
        if one.role is not Role.CASCADE
        or one.last_at is None
        or one.last_at + one.error >= last - LATE_STEP
    ]
    is_told = any(one.role is Role.CASCADE and one.at is not None for one in kept)
    return kept if is_told else list(observations)
