"""Turns at something scarce: so many at once, the keys that wait one after the other.

One event loop, no threads: whoever waits costs a future.
"""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from portal.admission import refusal


class FairQueue:
    """Lets `capacity` in at once, each key at most `each`; of those that wait, each key in turn."""

    def __init__(self, *, capacity: int, each: int, waiting: int, each_waiting: int) -> None:
        self.capacity, self.each = capacity, each
        self.waiting, self.each_waiting = waiting, each_waiting
        self._inside: Counter[str] = Counter()
        self._queues: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def inside(self) -> int:
        """How many are in."""
        return self._inside.total()

    @property
    def outside(self) -> int:
        """How many wait."""
        return sum(map(len, self._queues.values()))

    @asynccontextmanager
    async def turn(self, key: str, *, seconds: float) -> AsyncIterator[None]:
        """Hold a turn; raise Refused where too many wait, or where it took too long."""
        await self.enter(key, seconds=seconds)
        try:
            yield
        finally:
            self.leave(key)

    async def enter(self, key: str, *, seconds: float) -> None:
        """Take a turn, at once or after those before; whoever entered has to leave."""
        if not self._queues and self._fits(key):
            self._inside[key] += 1
            return
        future = self._queued(key)
        try:
            async with asyncio.timeout(seconds):
                await future
        except TimeoutError:
            self._give_up(key, future)
            raise refusal.busy(seconds=5) from None
        except asyncio.CancelledError:
            self._give_up(key, future)
            raise

    def leave(self, key: str) -> None:
        """Give the turn back, and let in who comes next."""
        self._inside[key] -= 1
        if not self._inside[key]:
            del self._inside[key]
        self._admit()

    def _fits(self, key: str) -> bool:
        return self.inside < self.capacity and self._inside[key] < self.each

    def _queued(self, key: str) -> asyncio.Future[None]:
        if len(self._queues.get(key, ())) >= self.each_waiting:
            raise refusal.too_many(seconds=5)
        if self.outside >= self.waiting:
            raise refusal.busy(seconds=5)
        future = asyncio.get_running_loop().create_future()
        self._queues.setdefault(key, deque()).append(future)
        self._admit()
        return future

    def _admit(self) -> None:
        """Let in whom there is room for: the keys in turn, the first of each first."""
        for key in list(self._queues):
            if self.inside >= self.capacity:
                return
            future = self._first_waiting(key) if self._fits(key) else None
            if future is not None:
                self._inside[key] += 1
                future.set_result(None)

    def _first_waiting(self, key: str) -> asyncio.Future[None] | None:
        """Take the first of a key whose time has not ended just now: that one takes no turn."""
        while key in self._queues:
            future = self._next_of(key)
            if not future.done():
                return future
        return None

    def _next_of(self, key: str) -> asyncio.Future[None]:
        queue = self._queues.pop(key)
        future = queue.popleft()
        if queue:
            self._queues[key] = queue  # behind the others
        return future

    def _give_up(self, key: str, future: asyncio.Future[None]) -> None:
        if future.done() and not future.cancelled():
            self.leave(key)  # the turn came at the same moment
            return
        queue = self._queues.get(key, deque())
        if future in queue:
            queue.remove(future)
        if not queue:
            self._queues.pop(key, None)
