"""Requests that hash a password: a few at once, and what fails only so often from one place."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Final

from apps.operations.admission import refusal
from apps.operations.admission.fair_queue import FairQueue

FAILURES: Final = 20.0  # at once, from one network
REFILL_SECONDS: Final = 5.0  # then one each
WAIT_SECONDS: Final = 15.0
WAITING, EACH_WAITING = 128, 8
# An answer that says "not now" waits, so that whoever asks again at once gets no further.
DELAY_SECONDS: Final = 1.0
DELAYED: Final = 256
REMEMBERED: Final = 10_000


@dataclass(slots=True)
class Bucket:
    """How many failures a network has left."""

    left: float
    at: float


def default_capacity() -> int:
    """Return how many passwords are hashed at once: what leaves a processor for the pages."""
    return max(1, (os.cpu_count() or 1) // 2)


class SignIns:
    """Turns at the hashing of passwords."""

    def __init__(self, *, capacity: int | None = None) -> None:
        self.queue = FairQueue(
            capacity=capacity or default_capacity(),
            each=1,
            waiting=WAITING,
            each_waiting=EACH_WAITING,
        )
        self._buckets: dict[str, Bucket] = {}
        self._delayed = 0

    def require(self, network: str) -> None:
        """Raise Refused where a network failed too often."""
        if self._bucket(network).left < 1:
            raise refusal.too_many(seconds=int(REFILL_SECONDS))

    @asynccontextmanager
    async def turn(self, network: str) -> AsyncIterator[None]:
        """Hold a turn; it counts as failed until `worked` says otherwise."""
        async with self.queue.turn(network, seconds=WAIT_SECONDS):
            self.require(network)
            self._bucket(network).left -= 1
            yield

    def worked(self, network: str) -> None:
        """Take back that an attempt counts: it opened the door."""
        bucket = self._bucket(network)
        bucket.left = min(FAILURES, bucket.left + 1)

    async def delay(self) -> None:
        """Let a refusal wait, as long as not too many wait already."""
        if self._delayed >= DELAYED:
            return
        self._delayed += 1
        try:
            await asyncio.sleep(DELAY_SECONDS)
        finally:
            self._delayed -= 1

    def _bucket(self, network: str) -> Bucket:
        now = monotonic()
        bucket = self._buckets.get(network)
        if bucket is None:
            if len(self._buckets) >= REMEMBERED:
                self._forget(now)
            bucket = self._buckets[network] = Bucket(left=FAILURES, at=now)
        bucket.left = min(FAILURES, bucket.left + (now - bucket.at) / REFILL_SECONDS)
        bucket.at = now
        return bucket

    def _forget(self, now: float) -> None:
        """Forget the networks whose failures are forgiven, else the older half."""
        full = FAILURES * REFILL_SECONDS
        kept = {key: each for key, each in self._buckets.items() if now - each.at < full}
        if len(kept) >= REMEMBERED:
            kept = dict(list(kept.items())[len(kept) // 2 :])
        self._buckets = kept
