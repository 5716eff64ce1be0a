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
ASK_SECONDS: Final = 60.0  # so often it is asked who still may read, when nothing changes
LIFE_SECONDS: Final = 600.0  # then the browser comes through the door again
STREAMS_LIMIT: Final = 400  # of a process; who comes later asks now and then
STREAMS_OF_ONE: Final = 100  # organization: its open pages take nobody else's place
READY: Final = b"event: ready\ndata: 1\n\n"
CHANGED: Final = b"event: changed\ndata: 1\n\n"
NOTES: Final = b"event: notes\ndata: 1\n\n"  # nothing but annotations changed
BEAT: Final = b": \n\n"

Look = Callable[[list[str]], Mapping[str, str] | None]


class ChangeListener:
    """What one stream waits for, and which marks have changed since it was told last."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._changed: set[str] = set()

    def tell(self, key: str) -> None:
        """Note that a mark changed."""
        self._changed.add(key)
        self._event.set()

    async def changed(self) -> Collection[str]:
        """Wait for changes and return which marks these are of."""
        await self._event.wait()
        found, self._changed = self._changed, set()
        self._event.clear()
        return found


class ChangeHub:
    """Looks at the marks that streams wait for, as long as there are any."""

    def __init__(self, look: Look = marks) -> None:
        self._look = sync_to_async(look, thread_sensitive=False)
        self._listeners: set[ChangeListener] = set()
        self._waiting: dict[str, set[ChangeListener]] = {}
        self._known: dict[str, str | None] = {}
        self._task: asyncio.Task[None] | None = None

    @property
    def count(self) -> int:
        """Return how many streams wait."""
        return len(self._listeners)

    def has_room(self, *, owner: str) -> bool:
        """Say whether one more stream may wait that looks at an organization's mark."""
        own = len(self._waiting.get(owner, ()))
        return self.count < STREAMS_LIMIT and own < STREAMS_OF_ONE

    @contextmanager
    def waiting_for(self, keys: Collection[str]) -> Iterator[ChangeListener]:
        """Give a listener that is told whenever one of these marks changes."""
        listener = ChangeListener()
        self._listeners.add(listener)
        for key in keys:
            self._waiting.setdefault(key, set()).add(listener)
        try:
            yield listener
        finally:
            self._listeners.discard(listener)
            for key in keys:
                self._forget(key, listener)

    def _forget(self, key: str, listener: ChangeListener) -> None:
        self._waiting[key].discard(listener)
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
                for listener in self._waiting[key]:
                    listener.tell(key)
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


async def _heard(listener: ChangeListener) -> Collection[str]:
    """Return which marks changed, none when it is time for a beat."""
    try:
        return await asyncio.wait_for(listener.changed(), BEAT_SECONDS)
    except TimeoutError:
        return ()


async def events(
    *,
    keys: Collection[str],
    notes: str,
    may_read: Callable[[], Awaitable[bool]],
    hub: ChangeHub = HUB,
) -> AsyncIterator[bytes]:
    """Yield an event for each change of one of these marks, until the reader may not read any more.

    `notes` is the one among them that stands for annotations.
    """
    with hub.waiting_for(keys) as listener:
        await hub.look()
        hub.keep_looking()
        yield READY
        asked = monotonic()
        until = asked + LIFE_SECONDS
        while monotonic() < until:
            changed = await _heard(listener)
            if changed or monotonic() >= asked + ASK_SECONDS:
                if not await may_read():
                    return
                asked = monotonic()
            if not changed:
                yield BEAT
                continue
            yield NOTES if {*changed} == {notes} else CHANGED
