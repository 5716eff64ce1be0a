"""Open connections: so many in all and from one address; none stays that does nothing.

A connection that is of no use to anybody ends: one whose headers don't come, or whose reader takes
nothing of the answer. Where there are too many, the one that has been idle longest makes room.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

HEADER_SECONDS: Final = 10.0
UNREAD_SECONDS: Final = 60.0
LOOK_SECONDS: Final = 1.0


class Connection(Protocol):
    """What is known of one connection."""

    network: str
    idle_since: float | None  # waits for a request, or for the rest of its headers
    is_begun: bool  # some bytes of a request came
    blocked_since: float | None  # its reader takes nothing

    def abort(self) -> None:
        """End it at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """How many connections are held."""

    total: int
    each: int  # of one address; the same number where a proxy is everybody's address


class Connections:
    """The connections of this process."""

    def __init__(self, *, caps: Caps) -> None:
        self.caps = caps
        self._open: set[Connection] = set()
        self._by_network: Counter[str] = Counter()

    def __len__(self) -> int:
        """How many are open."""
        return len(self._open)

    def add(self, connection: Connection) -> bool:
        """Take one more, in place of an idle one if need be; say whether there was room."""
        if self._by_network[connection.network] >= self.caps.each:
            self._make_room(each for each in self._open if each.network == connection.network)
        elif len(self._open) >= self.caps.total:
            self._make_room(self._open)
        self._open.add(connection)
        self._by_network[connection.network] += 1
        return self._fits(connection.network)

    def remove(self, connection: Connection) -> None:
        """Forget one that ended."""
        if connection not in self._open:
            return
        self._open.discard(connection)
        self._by_network[connection.network] -= 1
        if not self._by_network[connection.network]:
            del self._by_network[connection.network]

    def end_stale(self, *, now: float) -> int:
        """End those that are of no use to anybody; return how many."""
        stale = [each for each in self._open if _is_stale(each, now)]
        for each in stale:
            each.abort()
        return len(stale)

    def _fits(self, network: str) -> bool:
        return self._by_network[network] <= self.caps.each and len(self._open) <= self.caps.total

    def _make_room(self, among: Iterable[Connection]) -> None:
        """End the connection that is idle longest, of the address that has most of them."""
        idle = [each for each in among if each.idle_since is not None]
        if idle:
            most = max(idle, key=self._worth_ending)
            self.remove(most)
            most.abort()

    def _worth_ending(self, connection: Connection) -> tuple[int, float]:
        return self._by_network[connection.network], -(connection.idle_since or 0.0)


def _is_stale(connection: Connection, now: float) -> bool:
    half_open_since = connection.idle_since if connection.is_begun else None
    return _is_longer(connection.blocked_since, UNREAD_SECONDS, now) or _is_longer(
        half_open_since, HEADER_SECONDS, now
    )


def _is_longer(since: float | None, seconds: float, now: float) -> bool:
    return since is not None and now - since > seconds
