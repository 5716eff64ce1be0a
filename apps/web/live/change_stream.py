"""Open pages of incidents hear that these changed: server-sent events without content.

One look at the cache serves all streams of a process. A stream knows the marks of its own
organization alone, so what others write and read moves nothing in it, not even its pauses.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Final

from asgiref.sync import sync_to_async

from apps.incidents.facade.live import marks

LOOK_SECONDS: Final = 0.15
BEAT_SECONDS: Final = 15.0
LIFE_SECONDS: Final = 600.0  # then the browser comes through the door again
STREAMS_LIMIT: Final = 400  # of a process; who comes later asks now and then
READY: Final = b"event: ready\ndata: 1\n\n"
CHANGED: Final = b"event: changed\ndata: 1\n\n"
BEAT: Final = b": \n\n"

Look = Callable[[list[str]], Mapping[str, str] | None]


class ChangeHub:
    """Looks at the marks that streams wait for, as long as there are any."""

    def __init__(self, look: Look = marks) -> None:
        self._look = sync_to_async(look, thread_sensitive=False)
        self._events: set[asyncio.Event] = set()
        self._waiting: dict[str, set[asyncio.Event]] = {}
        self._known: dict[str, str | None] = {}
        self._task: asyncio.Task[None] | None = None

    @property
    def count(self) -> int:
        """Return how many streams wait."""
        return len(self._events)

    @contextmanager
    def waiting_for(self, keys: Collection[str]) -> Iterator[asyncio.Event]:
        """Give an event that is set whenever one of these marks changes."""
        event = asyncio.Event()
        self._events.add(event)
        for key in keys:
            self._waiting.setdefault(key, set()).add(event)
        try:
            yield event
        finally:
            self._events.discard(event)
            for key in keys:
                self._forget(key, event)

    def _forget(self, key: str, event: asyncio.Event) -> None:
        self._waiting[key].discard(event)
        if not self._waiting[key]:
            del self._waiting[key]
            self._known.pop(key, None)

    async def look(self) -> None:
        """Compare the marks with those of before, and set the events of those that changed."""
        found = await self._look(list(self._waiting))
        if found is None:
            return
        for key in list(self._waiting):
            mark = found.get(key)
            if key in self._known and mark is not None and mark != self._known[key]:
                for event in self._waiting[key]:
                    event.set()
            self._known[key] = mark if mark is not None else self._known.get(key)

    def keep_looking(self) -> None:
        """Look again and again from now on, unless somebody does."""
        loop = asyncio.get_running_loop()
        if self._task is None or self._task.done() or self._task.get_loop() is not loop:
            self._task = loop.create_task(self._run())

    async def _run(self) -> None:
        while self._waiting:
            await asyncio.sleep(LOOK_SECONDS)
            await self.look()


HUB: Final = ChangeHub()


async def events(
    *, keys: Collection[str], may_read: Callable[[], Awaitable[bool]], hub: ChangeHub = HUB
) -> AsyncIterator[bytes]:
    """Yield an event for each change of one of these marks, until the reader may not read any more."""
    with hub.waiting_for(keys) as changed:
        await hub.look()
        hub.keep_looking()
        yield READY
        until = monotonic() + LIFE_SECONDS
        while monotonic() < until:
            try:
                await asyncio.wait_for(changed.wait(), BEAT_SECONDS)
            except TimeoutError:
                yield BEAT
                continue
            changed.clear()
            if not await may_read():
                return
            yield CHANGED
