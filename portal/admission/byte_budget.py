"""Bytes of bodies that are held at the same time: bounded in all, and for each sender."""

import asyncio
from collections import Counter

from portal.admission import refusal

WAIT_SECONDS = 10.0
RETRY_SECONDS = 5


class ByteBudget:
    """Hands out bytes; whoever wants more than is free waits a little, unread."""

    def __init__(self, *, total: int, each: int) -> None:
        self.total, self.each = total, each
        self._held: Counter[str] = Counter()
        self._freed = asyncio.Event()

    @property
    def held(self) -> int:
        """How many bytes are held now."""
        return self._held.total()

    async def take(self, key: str, count: int) -> None:
        """Take bytes of a sender's share; raise Refused where they don't become free."""
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                while not self._fits(key, count):
                    self._freed.clear()
                    await self._freed.wait()
        except TimeoutError:
            if self._held[key] + count > self.each:
                raise refusal.too_many(seconds=RETRY_SECONDS) from None
            raise refusal.busy(seconds=RETRY_SECONDS) from None
        self._held[key] += count

    def give_back(self, key: str, count: int) -> None:
        """Free what was taken."""
        self._held[key] -= count
        if not self._held[key]:
            del self._held[key]
        self._freed.set()

    def _fits(self, key: str, count: int) -> bool:
        return self._held[key] + count <= self.each and self.held + count <= self.total
