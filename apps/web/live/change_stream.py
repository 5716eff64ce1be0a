"""The stream of one reader: what it missed, then what happens, until it may not read any more."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any, Final

from apps.web.live.change_hub import AWAY, HUB, ChangeHub, ChangeListener
from apps.web.live.stream_events import (
    BEAT,
    OVER,
    READY,
    RESET,
    LiveEvent,
    changes_written,
    moment_mark,
    moment_of,
    written,
)

BEAT_SECONDS: Final = 15.0
LIFE_SECONDS: Final = 600.0  # then the browser comes through the door again
WAIT_SECONDS: Final = 25.0  # of who asks without a stream: less than what proxies allow
OLD_SECONDS: Final = 60.0  # a code is left for a moment, before nobody knows it any more
KNOWN_FOR: Final = timedelta(minutes=29)  # less than changes are kept for


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamPlace:
    """Whose stream it is, and where it goes on: after a code, or since a moment."""

    organization_id: int
    key: str  # of the browser's session
    mark: str

    @property
    def since(self) -> datetime | None:
        """Return the moment, where that is what it goes on from."""
        return moment_of(self.mark)

    @property
    def code(self) -> str:
        """Return the code, where that is."""
        return "" if self.since else self.mark


class Missed(Exception):
    """Nobody can say what came since."""


async def events(place: StreamPlace, *, hub: ChangeHub = HUB) -> AsyncIterator[bytes]:
    """Yield what the reader missed and what happens, as server-sent events."""
    with hub.listening(organization_id=place.organization_id, key=place.key) as listener:
        try:
            number, missed = await _caught_up(listener, place, hub)
        except AWAY:
            return  # the browser comes again
        except Missed as mark:
            number, missed = mark.args[0], None
        if listener.is_over:
            yield written(OVER)
            return
        yield _opening(place, missed, moment=moment_mark(hub.read_at))
        async for each in _going_on(listener, hub, number):
            yield each


async def answer(
    place: StreamPlace, *, seconds: float, hub: ChangeHub = HUB
) -> AsyncIterator[bytes]:
    """Yield one answer for who has no stream: once there is something, or once the time is up."""
    with hub.listening(organization_id=place.organization_id, key=place.key) as listener:
        try:
            number, found = await _caught_up(listener, place, hub)
            moment = moment_mark(hub.read_at)
            if not found and not listener.is_over:
                found = await listener.heard(after=number, seconds=min(seconds, WAIT_SECONDS))
        except AWAY:
            yield answer_written(state="away", mark=place.mark)
            return
        except Missed:
            yield answer_written(state="reset", mark=moment_mark(hub.read_at))
            return
        state = "over" if listener.is_over else "reset" if listener.is_behind else "ok"
        mark = found[-1].code if found else place.mark or moment
        if not found and place.since:
            mark = moment  # who hears nothing for long would come with one that is too old
        yield answer_written(state=state, mark=mark, events=found)


def answer_written(*, state: str, mark: str, events: Sequence[LiveEvent] = ()) -> bytes:
    """Return an answer to who has no stream."""
    told: dict[str, Any] = {"state": state, "mark": mark, "events": [each.data for each in events]}
    return json.dumps(told).encode()


def _opening(place: StreamPlace, missed: Sequence[LiveEvent] | None, *, moment: str) -> bytes:
    """Return the first words: a mark stands only beside what lies before it."""
    if missed is None:
        return written(READY) + written(RESET, mark=moment)
    if missed:
        return written(READY) + changes_written(missed)
    return written(READY, mark=place.code or moment)


async def _caught_up(
    listener: ChangeListener, place: StreamPlace, hub: ChangeHub
) -> tuple[int, Sequence[LiveEvent]]:
    found, told = await hub.replayed(listener, code=place.code, since=place.since)
    if listener.key not in told.readers:
        listener.end()
    is_old = place.since is not None and place.since < datetime.now(tz=UTC) - KNOWN_FOR  # noqa: TID251  a door
    if not found.is_complete or is_old:
        raise Missed(found.number)
    return found.number, told.events


async def _going_on(listener: ChangeListener, hub: ChangeHub, number: int) -> AsyncIterator[bytes]:
    began = told_at = monotonic()
    while monotonic() < began + LIFE_SECONDS:
        found = await listener.heard(after=number, seconds=BEAT_SECONDS)
        if listener.is_over:
            yield written(OVER)
            return
        if listener.is_behind:
            listener.is_behind = False
            yield written(RESET)
        elif found:
            told_at = monotonic()
            yield changes_written(found)
        else:
            is_old = monotonic() >= told_at + OLD_SECONDS
            yield written(BEAT, mark=moment_mark(hub.read_at) if is_old else "")
