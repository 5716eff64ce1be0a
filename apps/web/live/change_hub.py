"""One reader of changes for all streams of a process: a stream costs a queue, and no query.

A look asks for all organizations that somebody listens for; who hears what is decided for each of
them alone. The database away is no end of a stream: the next look goes on where the last one ended.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from time import monotonic
from typing import Final, TypeVar

from django.db import DatabaseError, InterfaceError, connection
from psycopg_pool import PoolTimeout

from apps.tenancy.changes import subscribers
from apps.tenancy.changes.replay import ChangeReplay, OrderedChange, read_after, replay
from apps.tenancy.database.connections import return_connection
from apps.web.live.stream_events import LiveEvent
from apps.web.live.stream_readers import LiveDelivery, delivery_of

logger = logging.getLogger(__name__)
Answer = TypeVar("Answer")

LOOK_SECONDS: Final = 0.15  # of what other processes wrote
HINTED_SECONDS: Final = 0.02  # what this one wrote is looked at by then, all of it at once
ASK_SECONDS: Final = 60.0  # so often it is asked who still may read, when nothing changes
STREAMS_LIMIT: Final = 400  # of a process; who comes later asks now and then
STREAMS_OF_ONE: Final = 250  # organization: its open pages take nobody else's place
QUEUE_LIMIT: Final = 500
AWAY: Final = (DatabaseError, InterfaceError, PoolTimeout)


class ChangeListener:
    """What one stream waits for."""

    def __init__(self, *, organization_id: int, key: str) -> None:
        self.organization_id, self.key = organization_id, key
        self.is_over = self.is_behind = False
        self._events: list[LiveEvent] = []
        self._news = asyncio.Event()

    def tell(self, events: Sequence[LiveEvent]) -> None:
        """Add events; a reader that takes none for too long looks at everything instead."""
        self._events += events
        if len(self._events) > QUEUE_LIMIT:
            self._events, self.is_behind = [], True
        self._news.set()

    def end(self) -> None:
        """Say that it may not be told of anything any more: neither of what waits."""
        self._events, self.is_over = [], True
        self._news.set()

    async def heard(self, *, after: int, seconds: float) -> Sequence[LiveEvent]:
        """Wait for events and return those after a number; none when the time is up."""
        try:
            await asyncio.wait_for(self._news.wait(), seconds)
        except TimeoutError:
            return ()
        found, self._events = self._events, []
        self._news.clear()
        return [each for each in found if each.number > after]


class ChangeHub:
    """Looks for changes as long as somebody listens, in one thread with one connection."""

    def __init__(self) -> None:
        self._listeners: dict[int, set[ChangeListener]] = {}
        self._numbers: dict[int, int] = {}
        self._task: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="changes")
        self._asked = monotonic()
        self._hint = asyncio.Event()
        self.read_at = datetime.fromtimestamp(0, tz=UTC)

    def close(self) -> None:
        """Look no more; where it is called the streams are over, and so may be their loop."""
        self._listeners.clear()
        self._numbers.clear()
        self._thread.submit(lambda: connection.close()).result()  # noqa: PLW0108  of that thread

    @property
    def count(self) -> int:
        """Return how many streams wait."""
        return sum(map(len, self._listeners.values()))

    def has_room(self, *, organization_id: int) -> bool:
        """Say whether one more stream may wait for an organization."""
        own = len(self._listeners.get(organization_id, ()))
        return self.count < STREAMS_LIMIT and own < STREAMS_OF_ONE

    @contextmanager
    def listening(self, *, organization_id: int, key: str) -> Iterator[ChangeListener]:
        """Give a listener that hears what its organization is told from now on."""
        listener = ChangeListener(organization_id=organization_id, key=key)
        self._listeners.setdefault(organization_id, set()).add(listener)
        try:
            yield listener
        finally:
            own = self._listeners.get(organization_id, set())
            own.discard(listener)
            if not own:
                self._listeners.pop(organization_id, None)
                self._numbers.pop(organization_id, None)

    async def replayed(
        self, listener: ChangeListener, *, code: str, since: datetime | None
    ) -> tuple[ChangeReplay, LiveDelivery]:
        """Return what a listener missed, as far as it may know; from there on it is told."""

        now = _now()

        def read() -> tuple[ChangeReplay, LiveDelivery]:
            found = replay(
                organization_id=listener.organization_id, code=code, since=since, now=now
            )
            told = delivery_of(
                organization_id=listener.organization_id,
                keys=[listener.key],
                changes=found.changes,
                now=now,
            )
            return found, told

        found, told = await self.ask(read)
        self._numbers.setdefault(listener.organization_id, found.number)
        self.read_at = max(self.read_at, now)
        self._keep_looking()
        return found, told

    async def look(self) -> None:
        """Read what is new and tell it; where nothing is, ask now and then who still listens."""
        numbers = {pk: each for pk, each in self._numbers.items() if pk in self._listeners}
        at = _now()
        found = await self.ask(lambda: read_after(numbers=numbers, now=at))
        self.read_at = at
        newest = max((each.number for each in found), default=0)
        is_due = monotonic() >= self._asked + ASK_SECONDS
        if is_due:
            self._asked = monotonic()
        for pk in numbers:
            own = [each for each in found if each.organization_id == pk]
            if own or is_due:
                await self._deliver(pk, own)
            if pk in self._numbers:
                self._numbers[pk] = max(self._numbers[pk], newest)

    async def _deliver(self, organization_id: int, changes: Sequence[OrderedChange]) -> None:
        listeners = [*self._listeners.get(organization_id, ())]
        keys = {each.key for each in listeners}
        told = await self.ask(
            lambda: delivery_of(
                organization_id=organization_id, keys=keys, changes=changes, now=_now()
            )
        )
        for each in listeners:
            if each.key not in told.readers:
                each.end()
            elif told.events:
                each.tell(told.events)

    def _keep_looking(self) -> None:
        loop = asyncio.get_running_loop()
        if self._task is None or self._task.done() or self._task.get_loop() is not loop:
            self._task = loop.create_task(self._run())

    async def _run(self) -> None:
        with self._hinted():
            while self._listeners:
                await self._until_due()
                try:
                    await self.look()
                except Exception as error:  # noqa: BLE001  one bad look ends nobody's stream
                    # A number moves only with what was told: the next look reads it again.
                    logger.warning("changes.unread", extra={"reason": type(error).__name__})

    async def _until_due(self) -> None:
        """Wait for the next look: soon where this process wrote something, in its time else."""
        try:
            await asyncio.wait_for(self._hint.wait(), LOOK_SECONDS)
        except TimeoutError:
            return
        await asyncio.sleep(HINTED_SECONDS)
        self._hint.clear()

    @contextmanager
    def _hinted(self) -> Iterator[None]:
        """Let writers of this process, each in its thread, end the wait for the next look."""
        loop = asyncio.get_running_loop()
        self._hint = asyncio.Event()

        def hint() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._hint.set)

        subscribers.CALLBACKS.append(hint)
        try:
            yield
        finally:
            subscribers.CALLBACKS.remove(hint)

    async def ask(self, read: Callable[[], Answer]) -> Answer:
        """Return what is read in the hub's thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, _asked, read)


def _asked(read: Callable[[], Answer]) -> Answer:
    try:
        return read()
    except AWAY:
        connection.close()
        raise
    finally:
        return_connection()


def _now() -> datetime:
    return datetime.now(tz=UTC)  # noqa: TID251  a door


HUB: Final = ChangeHub()
