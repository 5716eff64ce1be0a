"""The stream of changes: events of one's own mark, and nothing of anybody else's."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from apps.web.live import change_stream
from apps.web.live.change_stream import BEAT, CHANGED, NOTES, READY, ChangeHub, events


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_stream, "LOOK_SECONDS", 0.01)


async def _yes() -> bool:
    return True


async def _no() -> bool:
    return False


def _run(
    steps: Callable[[ChangeHub, dict[str, str]], Awaitable[None]], known: dict[str, str]
) -> ChangeHub:
    hub = ChangeHub(look=lambda keys: {key: known[key] for key in keys if key in known})
    asyncio.run(_timed(steps(hub, known)))
    return hub


async def _timed(waiting: Awaitable[None]) -> None:
    await asyncio.wait_for(waiting, 10)


def test_a_change_is_an_event_without_content() -> None:
    async def steps(hub: ChangeHub, known: dict[str, str]) -> None:
        heard = events(keys=["mine"], notes="notes", may_read=_yes, hub=hub)
        assert await anext(heard) == READY
        known["mine"] = "2"
        assert await anext(heard) == CHANGED
        known["mine"] = "3"
        assert await anext(heard) == CHANGED
        await heard.aclose()  # type: ignore[attr-defined]  # a generator

    assert _run(steps, {"mine": "1"}).count == 0


def test_annotations_alone_are_an_event_of_their_own() -> None:
    async def steps(hub: ChangeHub, known: dict[str, str]) -> None:
        heard = events(keys=["work", "notes"], notes="notes", may_read=_yes, hub=hub)
        assert await anext(heard) == READY
        known["notes"] = "2"
        assert await anext(heard) == NOTES
        known |= {"notes": "3", "work": "2"}
        assert await anext(heard) == CHANGED
        known["work"] = "3"
        assert await anext(heard) == CHANGED
        await heard.aclose()  # type: ignore[attr-defined]  # a generator

    assert _run(steps, {"notes": "1", "work": "1"}).count == 0


def test_a_first_mark_is_a_change_too() -> None:
    async def steps(hub: ChangeHub, known: dict[str, str]) -> None:
        heard = events(keys=["mine"], notes="notes", may_read=_yes, hub=hub)
        assert await anext(heard) == READY
        known["mine"] = "1"
        assert await anext(heard) == CHANGED
        await heard.aclose()  # type: ignore[attr-defined]  # a generator

    _run(steps, {})


def test_of_what_others_write_nothing_is_heard_not_even_a_beat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(change_stream, "BEAT_SECONDS", 0.2)

    async def steps(hub: ChangeHub, known: dict[str, str]) -> None:
        mine = events(keys=["mine"], notes="notes", may_read=_yes, hub=hub)
        other = events(keys=["other"], notes="notes", may_read=_yes, hub=hub)
        assert [await anext(mine), await anext(other)] == [READY, READY]
        known["other"] = "2"
        assert await anext(other) == CHANGED
        assert await anext(mine) == change_stream.BEAT
        await mine.aclose()  # type: ignore[attr-defined]  # a generator
        await other.aclose()  # type: ignore[attr-defined]  # a generator

    _run(steps, {"mine": "1", "other": "1"})


def test_who_may_not_read_any_more_hears_the_end_and_not_the_change() -> None:
    async def steps(hub: ChangeHub, known: dict[str, str]) -> None:
        heard = events(keys=["mine"], notes="notes", may_read=_no, hub=hub)
        assert await anext(heard) == READY
        known["mine"] = "2"
        with pytest.raises(StopAsyncIteration):
            await anext(heard)

    assert _run(steps, {"mine": "1"}).count == 0


def test_who_may_not_read_any_more_is_let_go_though_nothing_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(change_stream, "BEAT_SECONDS", 0.05)
    monkeypatch.setattr(change_stream, "ASK_SECONDS", 0.08)

    async def steps(hub: ChangeHub, known: dict[str, str]) -> None:
        heard = events(keys=["mine"], notes="notes", may_read=_no, hub=hub)
        assert [each async for each in heard] == [READY, BEAT]

    assert _run(steps, {"mine": "1"}).count == 0


def test_a_cache_that_is_away_is_no_change_and_ends_no_stream() -> None:
    answers: list[dict[str, str] | None] = [{"mine": "1"}, None, {"mine": "1"}, {"mine": "2"}]

    async def steps() -> None:
        hub = ChangeHub(look=lambda _: answers.pop(0) if len(answers) > 1 else answers[0])
        heard = events(keys=["mine"], notes="notes", may_read=_yes, hub=hub)
        assert await anext(heard) == READY
        assert await anext(heard) == CHANGED
        assert len(answers) == 1
        await heard.aclose()  # type: ignore[attr-defined]  # a generator

    asyncio.run(_timed(steps()))


def test_the_pages_of_one_organization_leave_room_for_those_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(change_stream, "STREAMS_OF_ONE", 2)
    hub = ChangeHub(look=lambda keys: {})
    with hub.waiting_for(["ours", "a"]), hub.waiting_for(["ours", "b"]):
        assert not hub.has_room(owner="ours")
        assert hub.has_room(owner="theirs")
    assert hub.has_room(owner="ours")


def test_of_a_process_there_is_no_room_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_stream, "STREAMS_LIMIT", 1)
    hub = ChangeHub(look=lambda keys: {})
    assert hub.has_room(owner="theirs")
    with hub.waiting_for(["ours"]):
        assert not hub.has_room(owner="theirs")
