"""The stream of changes: what its reader may know of, in order, once, until it may not read."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import partial
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connections

from apps.incidents.models import Incident
from apps.tenancy.changes import subscribers
from apps.tenancy.changes.announcements import announce, announce_sharing
from apps.tenancy.models import Membership, Organization, Topic
from apps.tenancy.scope import organization_scope
from apps.web.live import change_hub, change_stream
from apps.web.live.change_hub import ChangeHub
from apps.web.live.change_stream import StreamPlace, events
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.live.heard import Heard, heard_of

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
Steps = Callable[[ChangeHub], Coroutine[Any, Any, None]]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_hub, "LOOK_SECONDS", 0.02)


def _run(steps: Steps) -> ChangeHub:
    async def timed() -> ChangeHub:
        hub = ChangeHub()
        await asyncio.wait_for(steps(hub), 20)
        hub.close()
        return hub

    return asyncio.run(timed())


async def _do(act: Callable[[], object]) -> None:
    def done() -> None:
        try:
            act()
        finally:
            connections.close_all()

    await sync_to_async(done, thread_sensitive=False)()


async def _next(stream: AsyncIterator[bytes]) -> list[Heard]:
    return heard_of(await anext(stream))


async def _end(*streams: AsyncIterator[bytes]) -> None:
    for each in streams:
        await each.aclose()  # type: ignore[attr-defined]  # a generator


def _place(browser: Browser, organization: Organization, mark: str = "") -> StreamPlace:
    key = browser(organization).session.session_key
    return StreamPlace(organization_id=organization.pk, key=str(key), mark=mark)


def _say(incident: Incident, *readers: Organization, topic: Topic = Topic.INCIDENT) -> None:
    announce(topic=topic, subject=incident.pk, readers=[each.pk for each in readers])


def test_a_change_names_the_thing_as_its_reader_knows_it(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    place = _place(browser, cast.operator)

    async def steps(hub: ChangeHub) -> None:
        stream = events(place, hub=hub)
        assert [each.kind for each in await _next(stream)] == ["ready"]
        await _do(lambda: _say(incident, cast.operator))
        (told,) = await _next(stream)
        assert told.data["topic"] == "incident"
        assert told.data["subject"] == incident.public_id
        assert told.mark == told.data["id"]
        await _end(stream)

    assert _run(steps).count == 0


def test_what_this_process_wrote_is_told_without_waiting_for_the_next_look(
    cast: Cast, incident: Incident, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_hub, "LOOK_SECONDS", 3_600)
    place = _place(browser, cast.operator)

    async def steps(hub: ChangeHub) -> None:
        stream = events(place, hub=hub)
        await _next(stream)
        for topic in (Topic.INCIDENT, Topic.ANNOTATION):
            await _do(partial(_say, incident, cast.operator, topic=topic))
            assert [each.data["topic"] for each in await _next(stream)] == [topic]
        await _end(stream)

    _run(steps)
    assert subscribers.CALLBACKS == []  # nobody listens any more


def test_of_what_does_not_exist_for_it_a_party_hears_nothing_not_even_a_beat(
    cast: Cast, incident: Incident, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_stream, "BEAT_SECONDS", 0.5)
    ours, strange = _place(browser, cast.operator), _place(browser, cast.stranger)

    async def steps(hub: ChangeHub) -> None:
        reader, stranger = events(ours, hub=hub), events(strange, hub=hub)
        assert [len(await _next(each)) for each in (reader, stranger)] == [1, 1]
        # Even where somebody told the stranger by mistake.
        await _do(lambda: _say(incident, cast.operator, cast.stranger))
        assert [each.kind for each in await _next(reader)] == ["changed"]
        assert [each.kind for each in await _next(stranger)] == ["beat"]
        await _end(reader, stranger)

    _run(steps)


def test_who_comes_again_hears_what_it_missed_once(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    place = _place(browser, cast.operator)

    async def steps(hub: ChangeHub) -> None:
        stream = events(place, hub=hub)
        await _next(stream)
        await _do(lambda: _say(incident, cast.operator))
        (first,) = await _next(stream)
        await _end(stream)
        await _do(lambda: _say(incident, cast.operator, topic=Topic.ANNOTATION))
        await _do(lambda: announce_sharing([cast.operator.pk]))

        elsewhere = ChangeHub()  # another process
        again = StreamPlace(organization_id=place.organization_id, key=place.key, mark=first.mark)
        stream = events(again, hub=elsewhere)
        ready, *missed = await _next(stream)
        assert ready.mark == ""
        # What became durable between two looks has no order of its own.
        assert sorted(each.data["topic"] for each in missed) == ["annotation", "sharing"]
        await _do(lambda: announce_sharing([cast.operator.pk]))
        (after,) = await _next(stream)
        assert after.mark not in {each.mark for each in missed}
        await _end(stream)
        elsewhere.close()

    _run(steps)


def test_a_mark_that_nobody_knows_any_more_asks_to_look_at_everything(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    place = _place(browser, cast.operator, mark="long-gone")

    async def steps(hub: ChangeHub) -> None:
        stream = events(place, hub=hub)
        told = await _next(stream)
        assert [each.kind for each in told] == ["ready", "reset"]
        assert told[1].mark.startswith("at-")
        await _end(stream)

    _run(steps)


def test_who_is_no_member_any_more_hears_the_end_and_not_the_change(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    stays, goes = _place(browser, cast.operator), _place(browser, cast.vendor)

    def leave() -> None:
        with organization_scope(cast.vendor.pk):
            Membership.objects.for_organization(cast.vendor).delete()
        _say(incident, cast.operator, cast.vendor)

    async def steps(hub: ChangeHub) -> None:
        reader, former = events(stays, hub=hub), events(goes, hub=hub)
        assert [len(await _next(each)) for each in (reader, former)] == [1, 1]
        await _do(leave)
        assert [each.kind for each in await _next(reader)] == ["changed"]
        assert [each.kind for each in await _next(former)] == ["over"]
        with pytest.raises(StopAsyncIteration):
            await anext(former)
        await _end(reader)

    assert _run(steps).count == 0


def test_who_is_no_member_is_let_go_though_nothing_changes(
    cast: Cast, incident: Incident, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_hub, "ASK_SECONDS", 0.1)
    place = _place(browser, cast.vendor)

    def leave() -> None:
        with organization_scope(cast.vendor.pk):
            Membership.objects.for_organization(cast.vendor).delete()

    async def steps(hub: ChangeHub) -> None:
        stream = events(place, hub=hub)
        await _next(stream)
        await _do(leave)
        assert [each.kind for each in await _next(stream)] == ["over"]
        with pytest.raises(StopAsyncIteration):
            await anext(stream)

    _run(steps)


def test_a_database_that_was_away_costs_time_and_no_change(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    place = _place(browser, cast.operator)

    def cut() -> None:
        with socket.socket(fileno=os.dup(connections["default"].connection.fileno())) as line:
            line.shutdown(socket.SHUT_RDWR)

    async def steps(hub: ChangeHub) -> None:
        stream = events(place, hub=hub)
        await _next(stream)
        await hub.ask(cut)
        await _do(lambda: _say(incident, cast.operator))
        assert [each.kind for each in await _next(stream)] == ["changed"]
        await _end(stream)

    _run(steps)


def test_a_reader_that_takes_nothing_for_long_looks_at_everything_instead(
    cast: Cast, incident: Incident, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_hub, "QUEUE_LIMIT", 1)
    place = _place(browser, cast.operator)

    async def steps(hub: ChangeHub) -> None:
        stream = events(place, hub=hub)
        await _next(stream)
        for topic in (Topic.INCIDENT, Topic.ANNOTATION):
            await _do(partial(_say, incident, cast.operator, topic=topic))
            await asyncio.sleep(0.2)
        assert [each.kind for each in await _next(stream)] == ["reset"]
        await _end(stream)

    _run(steps)


def test_the_pages_of_one_organization_leave_room_for_those_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(change_hub, "STREAMS_OF_ONE", 2)
    monkeypatch.setattr(change_hub, "STREAMS_LIMIT", 3)
    hub = ChangeHub()
    with hub.listening(organization_id=1, key="a"), hub.listening(organization_id=1, key="b"):
        assert not hub.has_room(organization_id=1)
        assert hub.has_room(organization_id=2)
        with hub.listening(organization_id=2, key="c"):
            assert not hub.has_room(organization_id=2)
    assert hub.has_room(organization_id=1)
