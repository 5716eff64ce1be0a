"""Rows that one worker holds at a time: a lease says until when, and runs out with its worker.

Taking is one statement that counts what it changed: of two who ask at once, one has the row.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import F, Model, Q, QuerySet

# A lease that ends later than any that is taken now was written by a clock that is wrong: it holds
# nothing, or the row would wait until that time comes. Clocks of machines may differ by this.
MOST_AHEAD: Final = timedelta(minutes=5)
DOUBLINGS: Final = 20  # every longest pause is reached before


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """How rows of a table are held: for how long, and which columns say so.

    `until` is empty while nobody holds the row. `due` says not before when it is taken; empty: at
    once. Where both are one column, taking a row puts it off, and an empty one waits for nothing.
    `attempts` counts the tries, each before it begins.
    """

    lasts: timedelta
    until: str = "claimed_until"
    due: str = ""
    attempts: str = ""

    def free(self, *, now: datetime) -> Q:
        """Rows that nobody holds."""
        if self.until == self.due:
            return Q(**{f"{self.until}__lte": now})
        latest = now + self.lasts + MOST_AHEAD
        return ~Q(**{f"{self.until}__gt": now, f"{self.until}__lte": latest})

    def ready(self, *, now: datetime) -> Q:
        """Rows that nobody holds, and whose time has come."""
        free = self.free(now=now)
        return free if self.due in {"", self.until} else free & ~Q(**{f"{self.due}__gt": now})

    def take(self, rows: QuerySet[Any], *, now: datetime, **also: Any) -> int:
        """Hold those of the rows that are ready, write what else is said; return how many."""
        return self.hold(rows.filter(self.ready(now=now)), now=now, **also)

    def hold(self, rows: QuerySet[Any], *, now: datetime, **also: Any) -> int:
        """Hold rows that the caller has locked, or holds already; return how many."""
        counted = {self.attempts: F(self.attempts) + 1} if self.attempts else {}
        return rows.update(**{self.until: now + self.lasts}, **counted, **also)

    def is_held(self, row: Model, *, now: datetime) -> bool:
        """Say whether somebody holds a row that was read."""
        until: datetime | None = getattr(row, self.until)
        return until is not None and now < until <= now + self.lasts + MOST_AHEAD

    @property
    def let_go(self) -> Mapping[str, Any]:
        """What is written where a row is held no longer."""
        return {self.until: None}

    @property
    def untried(self) -> Mapping[str, Any]:
        """What is written where a row is held no longer, and nothing was tried."""
        return {self.until: None, self.attempts: F(self.attempts) - 1}


def pause_after(*, failures: int, first: timedelta, longest: timedelta) -> timedelta:
    """Return how long to wait after so many failures in a row: twice as long each time."""
    doublings = min(max(failures - 1, 0), DOUBLINGS)
    pause: timedelta = first * 2**doublings
    return min(pause, longest)
