"""How much processor time the reading of some batches may take: in proportion to their text.

A text can be made that is slow to read in a way that nobody thought of. Whoever sends it spends the
time of their own batch, not that of the others who wait.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import thread_time

MIB = 1 << 20
# What is usual takes a twentieth of a second for a MiB.
FLOOR_SECONDS = 5.0
SECONDS_PER_MIB = 1.0
SECONDS_PER_STORED_MIB = 0.25  # of text that was read before and has to be looked at again
CEILING_SECONDS = 30.0  # well within the limit of the task


class OverBudget(Exception):
    """What was read took longer than text of its size may."""

    def __init__(self, *, allowed_seconds: float) -> None:
        super().__init__(f"took longer than {allowed_seconds:.0f} s of processor time to read")


@dataclass(slots=True, kw_only=True)
class Budget:
    """The processor time that may be spent, and since when it is."""

    ends_at: float
    started_at: float
    clock: Callable[[], float]

    def allow_stored(self, *, byte_count: int) -> None:
        """Give what stored text takes that has to be looked at again, as far as there is room."""
        ceiling = self.started_at + CEILING_SECONDS
        more = byte_count / MIB * SECONDS_PER_STORED_MIB
        self.ends_at = max(self.ends_at, min(self.ends_at + more, ceiling))

    def check(self) -> None:
        """Raise OverBudget when it is spent."""
        if self.clock() > self.ends_at:
            raise OverBudget(allowed_seconds=self.ends_at - self.started_at)


def budget_for(*, byte_count: int, clock: Callable[[], float] = thread_time) -> Budget:
    """Return the budget of so much text, beginning now."""
    allowed = min(FLOOR_SECONDS + byte_count / MIB * SECONDS_PER_MIB, CEILING_SECONDS)
    now = clock()
    return Budget(started_at=now, ends_at=now + allowed, clock=clock)


def unlimited() -> Budget:
    """Return a budget that nothing exceeds: for what an operator started."""
    return Budget(started_at=0.0, ends_at=float("inf"), clock=thread_time)
