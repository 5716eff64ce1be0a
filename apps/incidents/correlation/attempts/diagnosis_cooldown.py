"""Attempts whose diagnosis takes long rest before the next one, so that facts which keep coming
don't have one of them looked at all the time.
"""

from collections.abc import Collection
from typing import Final

from apps.tenancy.work import cooldowns

# What is quicker is looked at as often as it is touched.
FREE_SECONDS: Final = 1.0
# A look is followed by a rest of so many times what it took: a fifth of one process at the most.
TIMES: Final = 4
LONGEST_SECONDS: Final = 300


def rest(*, attempt_id: int, seconds: float) -> None:
    """Let an attempt rest after a look that took so much processor time."""
    if seconds >= FREE_SECONDS:
        pause = min(TIMES * int(seconds), LONGEST_SECONDS)
        cooldowns.rest(_name(attempt_id), seconds=pause)


def resting(*, attempt_ids: Collection[int]) -> set[int]:
    """Return those that rest."""
    found = cooldowns.resting([_name(each) for each in attempt_ids])
    return {each for each in attempt_ids if _name(each) in found}


def _name(attempt_id: int) -> str:
    return f"attempt:{attempt_id}"
