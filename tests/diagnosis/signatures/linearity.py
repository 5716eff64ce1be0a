"""Whether a search takes time in proportion to its text, whatever the machine does beside it."""

import time
from collections.abc import Callable
from typing import TypeVar

Text = TypeVar("Text", str, bytes)

# Faster than this there is nothing to grow: a search that is quadratic takes far longer.
NOTHING_SECONDS = 0.01
HOPELESS_SECONDS = 1.0  # nothing linear takes that long for a few thousand characters
# Of a line of 8 KiB; the slowest takes a third of it where nothing else runs.
SLOWEST_SECONDS = 0.05
TRIES = 5
ROUNDS = 4
# Twice the text takes twice the time of a linear search and four times that of a quadratic one.
LEAST_QUADRATIC = 3.0


def is_linear(*, look: Callable[[Text], object], text: Text) -> bool:
    """Say whether a search is quick, or takes about twice as long as on half of the text."""
    half = text[: len(text) // 2]
    for _ in range(ROUNDS):
        whole = _seconds(look, text)
        if whole > HOPELESS_SECONDS:
            return False
        if whole < NOTHING_SECONDS or whole < LEAST_QUADRATIC * _seconds(look, half):
            return True
    return False


def is_quick(*, look: Callable[[Text], object], text: Text) -> bool:
    """Say whether a search of a line takes no longer than any of them may."""
    return any(_seconds(look, text) < SLOWEST_SECONDS for _ in range(ROUNDS))


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
