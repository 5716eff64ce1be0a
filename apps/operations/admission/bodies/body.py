"""The body of one request, as it comes in: counted, at a lowest rate, from a budget of bytes.

A body that may be large reserves its room before it is read: half of it is of no use. What is small
takes room as it comes: what was only announced keeps nobody else out.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

from apps.operations.admission import refusal
from apps.operations.admission.bodies.body_pace import BodyPace
from apps.operations.admission.bodies.byte_budget import ByteBudget

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
IDLE_SECONDS = 30.0
LOWEST_RATE = 4096  # bytes a second, on average, after the first IDLE_SECONDS
DRAINED_BYTES = 2 * 2**20
DRAINED_SECONDS = 2.0
READ_SECONDS = 1.0  # a proxy still sends: a reset before it read the answer would take that from it


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """What the headers say of the body that follows."""

    length: int | None  # None: as many bytes as come
    is_expected: bool  # the sender waits for 100 before it sends

    @property
    def is_empty(self) -> bool:
        """Whether no body follows."""
        return self.length == 0


def announced(scope: Mapping[str, Any]) -> Announced:
    """Read the headers. The web server refused what contradicts itself."""
    headers = dict(scope["headers"])
    length = headers.get(b"content-length")
    is_chunked = b"transfer-encoding" in headers
    return Announced(
        length=None if is_chunked else int(length or 0),
        is_expected=headers.get(b"expect", b"").lower() == b"100-continue",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyBudget:
    """Where a body takes its bytes from, whose they are, and how many it may have."""

    budget: ByteBudget
    key: str
    limit: int
    is_reserved: bool
    advice: str = "send it in parts"  # to who has more


class AdmittedBody:
    """Stands between the web server and the application."""

    def __init__(self, *, receive: Receive, room: BodyBudget, said: Announced) -> None:
        self._receive = receive
        self.room, self.key, self.said = room, room.key, said
        self.taken = self._held = 0
        self.is_whole = said.is_empty
        self._began = 0.0
        self._pace = BodyPace()
        self._reading: asyncio.Timeout | None = None
        self._is_given_up = False

    async def reserve(self) -> None:
        """Take the room for what is announced, before any of it is read; raise Refused."""
        announced = self.said.length or 0
        if announced > self.room.limit:
            raise refusal.too_big(limit=self.room.limit, advice=self.room.advice)
        if self.room.is_reserved:
            await self._hold(announced)
        self._began = monotonic()
        self._pace.begin(now=self._began)

    async def next(self) -> Message:
        """Return the next part; raise Refused where it is too much or comes too slowly."""
        message = await self._read()
        size = len(message.get("body", b""))
        self._pace.count(size, now=monotonic())
        await self._count(size)
        self.is_whole = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    def behind(self, *, now: float) -> float:
        """Return for how many seconds its next part should have been here already."""
        return 0.0 if self._reading is None else self._pace.behind(now=now)

    def give_up(self) -> None:
        """Make room for others: it comes too slowly."""
        self._is_given_up = True
        self.close()
        if self._reading is not None and not self._reading.expired():
            self._reading.reschedule(0.0)

    async def _read(self) -> Message:
        try:
            async with asyncio.timeout(self._patience()) as self._reading:
                return await self._receive()
        except TimeoutError:
            raise refusal.too_slow() from None
        finally:
            self._reading = None

    async def drain(self) -> None:
        """Read on a little after a refusal: whoever still sends can then read the answer."""
        if self.is_whole or self.said.is_expected:
            return
        drained = 0
        try:
            async with asyncio.timeout(DRAINED_SECONDS):
                while not self.is_whole and drained < DRAINED_BYTES:
                    message = await self._receive()
                    drained += len(message.get("body", b""))
                    self.is_whole = not message.get("more_body", False)
        except TimeoutError:
            return
        if not self.is_whole:
            await asyncio.sleep(READ_SECONDS)

    def close(self) -> None:
        """Give the room back."""
        self.room.budget.give_back(self)
        self._held = 0

    async def _count(self, count: int) -> None:
        self.taken += count
        if self._is_given_up:
            raise refusal.too_slow()
        if self.taken > self.room.limit:
            raise refusal.too_big(limit=self.room.limit, advice=self.room.advice)
        await self._hold(self.taken - self._held)

    async def _hold(self, more: int) -> None:
        if more > 0:
            asked = monotonic()
            await self.room.budget.take(self, more)
            self._held += more
            self._began += monotonic() - asked  # whoever waits for room is not slow
            self._pace.begin(now=monotonic())

    def _patience(self) -> float:
        """Return for how long the next part may stay away."""
        left = self._began + IDLE_SECONDS + self.taken / LOWEST_RATE - monotonic()
        return max(0.0, min(IDLE_SECONDS, left))
