"""Pushes take turns: so many of an organization and of all at once, each organization in turn.

Whoever waits holds a thread and nothing else, no connection of the database. Who sends more than
fits is told to come back, and nobody else is.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock
from time import monotonic, thread_time
from typing import Final

from django.conf import settings

from apps.telemetry.limits.storage_limits import OverQuota

# Of the twelve connections of a web process four are left for pages and for looking up credentials.
AT_ONCE: Final = 8
OF_ONE: Final = 2
WAITING_OF_ONE: Final = 16
WAIT_SECONDS: Final = 5.0
# An organization may use a quarter of a processor while others are there, after so much at once:
# pages and everybody's pushes share one.
SHARE: Final = 0.25
# Keeping three quarters of its two turns busy is as much as that.
OCCUPIED: Final = SHARE / (0.75 * OF_ONE)
BURST_SECONDS: Final = 1.0
THERE_SECONDS: Final = 10.0


class TooManyAtOnce(OverQuota):
    """The organization has as many pushes at work, or in line, as it may."""


class Turns:
    """Who is at work, and who waits for it."""

    def __init__(self, *, at_once: int, of_one: int, waiting: int) -> None:
        self.at_once, self.of_one, self.waiting = at_once, of_one, waiting
        self._lock = Lock()
        self._working: Counter[int] = Counter()
        self._lines: OrderedDict[int, deque[Event]] = OrderedDict()

    @contextmanager
    def turn(self, organization_id: int, *, seconds: float) -> Iterator[None]:
        """Hold a turn; raise TooManyAtOnce where the line is full or doesn't move."""
        mine = self._enter(organization_id)
        if mine is not None and not mine.wait(seconds):
            self._leave_line(organization_id, mine)
        try:
            yield
        finally:
            self._leave(organization_id)

    def _enter(self, organization_id: int) -> Event | None:
        """Return what to wait for; None: at once."""
        with self._lock:
            if not self._lines and self._fits(organization_id):
                self._working[organization_id] += 1
                return None
            if len(self._lines.get(organization_id, ())) >= self.waiting:
                raise TooManyAtOnce(REFUSAL)
            self._lines.setdefault(organization_id, deque()).append(mine := Event())
            self._admit()
            return mine

    def _leave_line(self, organization_id: int, mine: Event) -> None:
        """Give up, unless the turn came just now."""
        with self._lock:
            line = self._lines.get(organization_id, deque())
            if mine not in line:
                return
            line.remove(mine)
            if not line:
                del self._lines[organization_id]
        raise TooManyAtOnce(REFUSAL)

    def _leave(self, organization_id: int) -> None:
        with self._lock:
            self._working[organization_id] -= 1
            self._working += Counter()  # without those that have none
            self._admit()

    def _fits(self, organization_id: int) -> bool:
        is_free = self._working.total() < self.at_once
        return is_free and self._working[organization_id] < self.of_one

    def _admit(self) -> None:
        """Let in whom there is room for: one of each organization, then the next of each."""
        waiting = deque(self._lines)
        while waiting:
            organization_id = waiting.popleft()
            if not self._fits(organization_id):
                continue
            line = self._lines.pop(organization_id)
            line.popleft().set()
            self._working[organization_id] += 1
            if line:
                self._lines[organization_id] = line  # behind the others
                waiting.append(organization_id)


class Shares:
    """How much processor time each organization's pushes used lately."""

    def __init__(self) -> None:
        self._used: dict[int, tuple[float, float]] = {}  # seconds, as of when
        self._there: dict[int, float] = {}  # who asked for anything, and when

    def require(self, organization_id: int, *, at: float) -> None:
        """Raise TooManyAtOnce where it used more than its share and others are there."""
        used = self._left_of(organization_id, at)
        self._there[organization_id] = at
        if used > BURST_SECONDS and self._has_others(organization_id, at):
            raise TooManyAtOnce(REFUSAL)

    def note_reader(self, *, at: float) -> None:
        """Note that somebody reads pages: nobody's organization."""
        self._there[0] = at

    def add(self, organization_id: int, *, seconds: float, at: float) -> None:
        """Note what a push cost."""
        if len(self._used) > KNOWN:
            self._used.clear()
        self._used[organization_id] = (self._left_of(organization_id, at) + seconds, at)

    def _left_of(self, organization_id: int, at: float) -> float:
        seconds, since = self._used.get(organization_id, (0.0, at))
        return max(0.0, seconds - SHARE * (at - since))

    def _has_others(self, organization_id: int, at: float) -> bool:
        there = list(self._there.items())
        return any(each != organization_id and at - seen < THERE_SECONDS for each, seen in there)


KNOWN: Final = 10_000
REFUSAL: Final = (
    "This organization sends more at once than its share; nothing of this was stored. Send it "
    "again after Retry-After, in fewer and larger batches."
)
TURNS: Final = Turns(at_once=AT_ONCE, of_one=OF_ONE, waiting=WAITING_OF_ONE)
SHARES: Final = Shares()


@contextmanager
def turn(organization_id: int, *, seconds: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold a turn of an organization's at the work of a push; raise TooManyAtOnce.

    It is waited for so long: whoever holds a connection of the database waits for nothing.
    """
    if settings.PORTAL_PROCESS == "web":  # elsewhere nobody reads pages
        SHARES.require(organization_id, at=monotonic())
    with TURNS.turn(organization_id, seconds=seconds):
        began, began_at = thread_time(), monotonic()
        try:
            yield
        finally:
            at = monotonic()
            seconds = cost(worked=thread_time() - began, passed=at - began_at)
            SHARES.add(organization_id, seconds=seconds, at=at)


def cost(*, worked: float, passed: float) -> float:
    """Return what a push counts as: its processor time, or a part of the time that its turn took.

    Where processors are short, a push waits for them more than it works. Its share is then more
    than all that the process gets, and who keeps its turns busy keeps the pages waiting.
    """
    return max(worked, passed * OCCUPIED)
