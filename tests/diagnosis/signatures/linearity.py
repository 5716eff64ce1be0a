"""Whether a search takes time in proportion to its text, whatever the machine does beside it."""

import re
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

Text = TypeVar("Text", str, bytes)

# Faster than this there is nothing to grow: a search that is quadratic takes far longer.
NOTHING_SECONDS = 0.01
HOPELESS_SECONDS = 1.0  # nothing linear takes that long for a few thousand characters
# What no search of a line of 8 KiB may take, as work: 5 ms where nothing else runs. Measured beside
# it, so that neither a slow machine nor its neighbors decide.
MEASURE = partial(re.compile("[ab]*c").search, "ab" * 1625)
SURELY_QUICK_SECONDS = 0.001
TRIES = 3
ROUNDS = 5
# Twice the text takes twice the time of a linear search and four times that of a quadratic one.
LEAST_QUADRATIC = 3.0


def is_linear(*, look: Callable[[Text], object], text: Text) -> bool:
    """Say whether a search is quick, or takes about twice as long as on half of the text."""
    middle = len(text) // 2
    # The first half may end in what is found at once: then the second is as far to go through.
    halves = (text[:middle], text[middle:])
    for _ in range(ROUNDS):
        whole = _seconds(look, text)
        if whole > HOPELESS_SECONDS:
            return False
        if whole < NOTHING_SECONDS:
            return True
        if any(whole < LEAST_QUADRATIC * _seconds(look, half) for half in halves):
            return True
    return False


def is_quick(*, look: Callable[[Text], object], text: Text) -> bool:
    """Say whether a search of a line takes no longer than any of them may."""
    if _once(partial(look, text)) < SURELY_QUICK_SECONDS:
        return True
    return any(_once(partial(look, text)) < _once(MEASURE) for _ in range(ROUNDS))


def _once(work: Callable[[], object]) -> float:
    started = time.thread_time()
    work()
    return time.thread_time() - started


def _seconds(look: Callable[[Text], object], text: Text) -> float:
    """Return the least processor time of some tries."""
    best = float("inf")
    for _ in range(TRIES):
        started = time.process_time()
        look(text)
        best = min(best, time.process_time() - started)
        if not NOTHING_SECONDS <= best <= HOPELESS_SECONDS:
            break
    return best
