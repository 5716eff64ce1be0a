"""Open connections: so many in all and from one address; none stays that does nothing.

A connection that is of no use to anybody ends: one whose headers don't come, or whose reader takes
nothing of the answer. Where there are too many, one makes room: one that is idle, else one whose
sender or reader is slow, else one that still waits for its turn; of who holds most of that kind.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from time import monotonic
from typing import Final, Protocol

from apps.operations.admission.bodies.body_pace import LATE_SECONDS

HEADER_SECONDS: Final = 10.0
UNREAD_SECONDS: Final = 60.0
LOOK_SECONDS: Final = 1.0
RANKED_SECONDS: Final = 0.25
CONNECTION: Final = "portal.connection"  # where the application finds that of a request


class Connection(Protocol):
    """What is known of one connection."""

    network: str  # whose connections are counted
    idle_since: float | None  # waits for a request, or for the rest of its headers
    is_begun: bool  # some bytes of a request came
    is_served: bool  # its turn came: somebody works on its answer
    blocked_since: float | None  # its reader takes nothing
    asked_at: float  # when its request began

    @property
    def sender(self) -> str:
        """Who asks: behind a proxy the address that it wrote, else the same."""

    def behind(self, *, now: float) -> float:
        """Return for how many seconds its body should have been here already."""

    def abort(self) -> None:
        """End it at once."""


class Use(IntEnum):
    """How little is lost with a connection."""

    WAITING = 1
    LATE = 2
    IDLE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """How many connections are held."""

    total: int
    each: int  # of one address; the same number where a proxy is everybody's address


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A connection that could make room, and for how long it has been of this use."""

    connection: Connection
    use: Use
    seconds: float


class Connections:
    """The connections of this process."""

    def __init__(self, *, caps: Caps) -> None:
        self.caps = caps
        self._open: set[Connection] = set()
        self._by_network: Counter[str] = Counter()
        self._rankings: dict[str, tuple[float, list[Candidate]]] = {}

    def __len__(self) -> int:
        """How many are open."""
        return len(self._open)

    def add(self, connection: Connection) -> bool:
        """Take one more, in place of one of less use if need be; say whether there was room."""
        if self._by_network[connection.network] >= self.caps.each:
            self._make_room(of=connection.network)
        elif len(self._open) >= self.caps.total:
            self._make_room()
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
        self._rankings.clear()  # what ended is kept by nobody
        stale = [each for each in self._open if _is_stale(each, now)]
        for each in stale:
            each.abort()
        return len(stale)

    def _fits(self, network: str) -> bool:
        return self._by_network[network] <= self.caps.each and len(self._open) <= self.caps.total

    def _make_room(self, of: str = "") -> None:
        """End the connection with which least is lost, of one network or of all."""
        now = monotonic()
        at, ranked = self._rankings.get(of, (0.0, []))
        if now - at > RANKED_SECONDS or not self._end_last(ranked, now):
            self._end_last(self._ranked(of, now), now)

    def _end_last(self, ranked: list[Candidate], now: float) -> bool:
        """End the last that is still of as little use; say whether there was one."""
        while ranked:
            least = ranked.pop()
            found = _candidate(least.connection, now)
            if least.connection in self._open and found and found.use >= least.use:
                self.remove(least.connection)
                least.connection.abort()
                return True
        return False

    def _ranked(self, network: str, now: float) -> list[Candidate]:
        """Rank those who could make room; many who come at once look at it once."""
        among = [each for each in self._open if not network or each.network == network]
        ranked = ranking(among, now=now)
        self._rankings[network] = now, ranked
        return ranked


def ranking(among: Iterable[Connection], *, now: float) -> list[Candidate]:
    """Return whose end costs least last: the longest of the sender with most of the least use."""
    found = [each for each in (_candidate(one, now) for one in among) if each is not None]
    held = Counter((each.use, each.connection.sender) for each in found)
    return sorted(
        found, key=lambda each: (each.use, held[each.use, each.connection.sender], each.seconds)
    )


def _candidate(connection: Connection, now: float) -> Candidate | None:
    """Say of what use a connection is; None where somebody works for it."""
    if connection.idle_since is not None:
        return _as(connection, Use.IDLE, now - connection.idle_since)
    behind = max(_unread_for(connection, now), connection.behind(now=now))
    if behind > LATE_SECONDS:
        return _as(connection, Use.LATE, behind)
    if connection.is_served:
        return None
    return _as(connection, Use.WAITING, now - connection.asked_at)


def _unread_for(connection: Connection, now: float) -> float:
    return 0.0 if connection.blocked_since is None else now - connection.blocked_since


def _as(connection: Connection, use: Use, seconds: float) -> Candidate:
    return Candidate(connection=connection, use=use, seconds=seconds)


def _is_stale(connection: Connection, now: float) -> bool:
    half_open_since = connection.idle_since if connection.is_begun else None
    return _is_longer(connection.blocked_since, UNREAD_SECONDS, now) or _is_longer(
        half_open_since, HEADER_SECONDS, now
    )


def _is_longer(since: float | None, seconds: float, now: float) -> bool:
    return since is not None and now - since > seconds
