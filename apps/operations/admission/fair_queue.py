"""Turns at something scarce: so many at once, the keys that wait one after the other.

One event loop, no threads: whoever waits costs a future.
"""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from apps.operations.admission import refusal

PATIENCE_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QueueTurn:
    """Who waits for a turn."""

    turn: asyncio.Future[None]
    beside: int  # at most so many of its key at once while others are in
    patient_until: float  # by the loop's clock: then one of its key goes beside others all the same


class FairQueue:
    """Lets `capacity` in at once, each key at most `each`; of those that wait, each key in turn.

    Those inside share a processor: two of a key's make everybody else's take three times as long.
    So a key may say how many of its own go in beside others; none is one, after a while.
    """

    def __init__(self, *, capacity: int, each: int, waiting: int, each_waiting: int) -> None:
        self.capacity, self.each = capacity, each
        self.waiting, self.each_waiting = waiting, each_waiting
        self._inside: Counter[str] = Counter()
        self._queues: OrderedDict[str, deque[QueueTurn]] = OrderedDict()

    @property
    def inside(self) -> int:
        """How many are in."""
        return self._inside.total()

    @property
    def outside(self) -> int:
        """How many wait."""
        return sum(map(len, self._queues.values()))

    @asynccontextmanager
    async def turn(
        self, key: str, *, seconds: float, beside: int | None = None
    ) -> AsyncIterator[None]:
        """Hold a turn; raise Refused where too many wait, or where it took too long."""
        await self.enter(key, seconds=seconds, beside=beside)
        try:
            yield
        finally:
            self.leave(key)

    async def enter(self, key: str, *, seconds: float, beside: int | None = None) -> None:
        """Take a turn, at once or after those before; whoever entered has to leave."""
        waiting = _waiting(beside=self.each if beside is None else beside)
        if not self._queues and self._fits(key, waiting):
            self._inside[key] += 1
            return
        self._queue(key, waiting)
        try:
            async with asyncio.timeout(seconds):
                await waiting.turn
        except TimeoutError:
            self._give_up(key, waiting)
            raise refusal.busy(seconds=5) from None
        except asyncio.CancelledError:
            self._give_up(key, waiting)
            raise

    def leave(self, key: str) -> None:
        """Give the turn back, and let in who comes next."""
        self._inside[key] -= 1
        if not self._inside[key]:
            del self._inside[key]
        self._admit()

    def _fits(self, key: str, waiting: QueueTurn) -> bool:
        own = self._inside[key]
        if self.inside >= self.capacity or own >= self.each:
            return False
        if self.inside == own:
            return True
        is_patient = waiting.patient_until > asyncio.get_running_loop().time()
        return own < (waiting.beside if is_patient else max(1, waiting.beside))

    def _queue(self, key: str, waiting: QueueTurn) -> None:
        if len(self._queues.get(key, ())) >= self.each_waiting:
            raise refusal.too_many(seconds=5)
        if self.outside >= self.waiting:
            raise refusal.busy(seconds=5)
        self._queues.setdefault(key, deque()).append(waiting)
        if not waiting.beside:
            asyncio.get_running_loop().call_at(waiting.patient_until, self._admit)
        self._admit()

    def _admit(self) -> None:
        """Let in whom there is room for: the keys in turn, the first of each first."""
        while sum(self._admit_one(key) for key in list(self._queues)):
            pass

    def _admit_one(self, key: str) -> bool:
        self._drop_ended(key)
        may_enter = key in self._queues and self._fits(key, self._queues[key][0])
        if may_enter:
            self._inside[key] += 1
            self._next_of(key).turn.set_result(None)
        return may_enter

    def _drop_ended(self, key: str) -> None:
        """Forget those first of a key's whose time has ended just now: they take no turn."""
        while key in self._queues and self._queues[key][0].turn.done():
            self._next_of(key)

    def _next_of(self, key: str) -> QueueTurn:
        queue = self._queues.pop(key)
        waiting = queue.popleft()
        if queue:
            self._queues[key] = queue  # behind the others
        return waiting

    def _give_up(self, key: str, waiting: QueueTurn) -> None:
        if waiting.turn.done() and not waiting.turn.cancelled():
            self.leave(key)  # the turn came at the same moment
            return
        queue = self._queues.get(key, deque())
        if waiting in queue:
            queue.remove(waiting)
        if not queue:
            self._queues.pop(key, None)


def _waiting(*, beside: int) -> QueueTurn:
    loop = asyncio.get_running_loop()
    return QueueTurn(
        turn=loop.create_future(), beside=beside, patient_until=loop.time() + PATIENCE_SECONDS
    )
