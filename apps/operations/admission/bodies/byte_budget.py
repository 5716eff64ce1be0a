"""Bytes of bodies that are held at the same time: bounded in all, and for each sender.

Where there is no room, the bodies that come too slowly end, first those of who holds most.
"""

import asyncio
from collections import Counter
from time import monotonic
from typing import Final, Protocol

from apps.operations.admission import refusal
from apps.operations.admission.bodies.body_pace import LATE_SECONDS

WAIT_SECONDS = 10.0
LOOK_SECONDS: Final = 0.25  # what is not late now is a little later
RETRY_SECONDS = 5


class Holder(Protocol):
    """A body that holds bytes."""

    key: str

    def behind(self, *, now: float) -> float:
        """Return for how many seconds its next part should have been here already."""

    def give_up(self) -> None:
        """Give all of its bytes back at once, and be refused."""


class ByteBudget:
    """Hands out bytes; whoever wants more than is free waits a little, unread."""

    def __init__(self, *, total: int, each: int) -> None:
        self.total, self.each = total, each
        self._held: Counter[str] = Counter()
        self._by_holder: dict[Holder, int] = {}
        self._freed = asyncio.Event()
        self._looked_at = 0.0

    @property
    def held(self) -> int:
        """How many bytes are held now."""
        return self._held.total()

    async def take(self, holder: Holder, count: int) -> None:
        """Take bytes of a sender's share; raise Refused where they don't become free."""
        ends_at = monotonic() + WAIT_SECONDS
        while not self._fits(holder.key, count):
            self._end_slow(holder.key, count)
            if not self._fits(holder.key, count):
                await self._wait(holder.key, count, left=ends_at - monotonic())
        self._held[holder.key] += count
        self._by_holder[holder] = self._by_holder.get(holder, 0) + count

    def give_back(self, holder: Holder) -> None:
        """Free what was taken."""
        self._held[holder.key] -= self._by_holder.pop(holder, 0)
        if not self._held[holder.key]:
            del self._held[holder.key]
        self._freed.set()

    def _fits(self, key: str, count: int) -> bool:
        return not self._is_over_share(key, count) and self.held + count <= self.total

    def _is_over_share(self, key: str, count: int) -> bool:
        return self._held[key] + count > self.each

    async def _wait(self, key: str, count: int, *, left: float) -> None:
        """Wait until something is free, or somebody is late."""
        if left <= 0:
            refused = refusal.too_many if self._is_over_share(key, count) else refusal.busy
            raise refused(seconds=RETRY_SECONDS)
        self._freed.clear()
        try:
            async with asyncio.timeout(min(left, LOOK_SECONDS)):
                await self._freed.wait()
        except TimeoutError:
            return

    def _end_slow(self, key: str, count: int) -> None:
        """End bodies that are late until there is room; where the share is full, its own."""
        now = monotonic()
        if now < self._looked_at + LOOK_SECONDS:
            return  # many wait, and each would look at all
        self._looked_at = now
        late = [each for each in self._by_holder if each.behind(now=now) > LATE_SECONDS]
        if self._is_over_share(key, count):
            late = [each for each in late if each.key == key]
        while late and not self._fits(key, count):
            slowest = max(late, key=lambda each: (self._held[each.key], each.behind(now=now)))
            late.remove(slowest)
            slowest.give_up()
