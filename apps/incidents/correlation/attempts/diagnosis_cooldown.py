"""Attempts whose diagnosis takes long rest before the next one, so that facts which keep coming
don't have one of them looked at all the time.
"""

from collections.abc import Collection
from typing import Final

from django.core.cache import cache

from apps.tenancy.work.task_requests import AWAY

# What is quicker is looked at as often as it is touched.
FREE_SECONDS: Final = 1.0
# A look is followed by a rest of so many times what it took: a fifth of one process at the most.
TIMES: Final = 4
LONGEST_SECONDS: Final = 300


def rest(*, attempt_id: int, seconds: float) -> None:
    """Let an attempt rest after a look that took so much processor time."""
    if seconds < FREE_SECONDS:
        return
    try:
        cache.set(_key(attempt_id), 1, timeout=min(TIMES * int(seconds), LONGEST_SECONDS))
    except AWAY:
        return  # without a cache nobody rests


def resting(*, attempt_ids: Collection[int]) -> set[int]:
    """Return those that rest."""
    try:
        found = cache.get_many([_key(each) for each in attempt_ids])
    except AWAY:
        return set()
    return {each for each in attempt_ids if _key(each) in found}


def _key(attempt_id: int) -> str:
    return f"attempt-rests:{attempt_id}"
