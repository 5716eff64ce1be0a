"""What is made of values that never change, made once for as long as a process lives."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Source = TypeVar("Source")
Made = TypeVar("Made")


class MadeOnce(Generic[Source, Made]):
    """Keeps what was made of a frozen value, by that very object and how it was made.

    An object that was read anew is another one, whatever it holds: nothing old is ever found. Who
    may have the made value is decided where its source is read. Bounded by what the sources weigh
    together, or what is made where that weighs more; beyond that all are let go, so that a pass
    over many is never half of two.
    """

    def __init__(self, most: int, weigh: Callable[[Source | Made], int] | None = None) -> None:
        """Without `weigh` each weighs one; none weighs less."""
        self._most, self._weigh = most, weigh
        self._weight = 0
        self._kept: dict[tuple[int, Hashable], tuple[Source, Made]] = {}

    def of(self, source: Source, make: Callable[[Source], Made], how: Hashable = None) -> Made:
        """Return what was made of it so, or make it now; `how` says all else that it depends on."""
        kept = self._kept
        found = kept.get((id(source), how))
        # While it is kept no other object has its id.
        if found is not None and found[0] is source:
            return found[1]
        made = make(source)
        weight = max(1, self._weigh(source), self._weigh(made)) if self._weigh else 1
        if self._weight + weight > self._most:
            kept, self._weight = {}, 0
            self._kept = kept
        kept[id(source), how] = (source, made)
        self._weight += weight
        return made
