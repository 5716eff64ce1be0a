"""Bodies at the edge: counted before and while they come, never read for who may not send."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from apps.operations.admission import routes
from apps.operations.admission.application import Admission
from apps.operations.admission.bodies import body, body_pace, byte_budget
from apps.operations.admission.bodies.body_limits import (
    FORM_BYTES,
    FORMS_BYTES,
    SHARES,
    STRANGER_BYTES,
    STRANGERS_BYTES,
)
from tests.apps.operations.admission.visits import LIMITS, Visitor, echo, edge, scope, visit

MEBIBYTE = b"x" * 2**20


def endless() -> Iterator[bytes]:
    """Send until nobody reads."""
    while True:
        yield MEBIBYTE


def run(asked: dict[str, Any], visitor: Visitor) -> Visitor:
    """Visit the edge."""
    return asyncio.run(visit(edge(), asked, visitor))


def allow(monkeypatch: pytest.MonkeyPatch, owner: str | None) -> None:
    """Let a credential be good or not, whatever it is."""
    monkeypatch.setattr("apps.operations.admission.credentials._looked_up", lambda look: owner)


def test_an_announced_body_that_is_too_large_is_refused_before_it_is_read() -> None:
    found = run(scope(content_length="99999999999"), Visitor(parts=endless()))

    assert found.status == 413
    assert found.headers[b"connection"] == b"close"
    assert found.taken <= body.DRAINED_BYTES + len(MEBIBYTE)


def test_who_waits_for_the_word_to_go_on_is_refused_without_it() -> None:
    asked = scope(content_length="99999999999", expect="100-continue")
    found = run(asked, Visitor(parts=endless()))

    assert found.status == 413
    assert found.reads == 0  # the first read is what sends 100


def test_a_chunked_body_is_cut_off_once_it_is_too_large() -> None:
    found = run(scope(transfer_encoding="chunked"), Visitor(parts=endless()))

    assert found.status == 413
    assert found.taken <= 2**20 + len(MEBIBYTE) + body.DRAINED_BYTES + len(MEBIBYTE)


def test_a_push_without_a_credential_is_refused_before_its_body(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    allow(monkeypatch, None)
    asked = scope(path="/api/v1/logs", content_length="1048576", expect="100-continue")
    found = run(asked, Visitor(parts=[MEBIBYTE]))

    assert (found.status, found.text, found.reads) == (401, b"0", 0)


def test_a_push_with_a_credential_may_be_as_large_as_the_settings_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    allow(monkeypatch, "organization 1")
    size, told = str(LIMITS.body_bytes), {"path": "/api/v1/logs", "authorization": "Bearer good"}
    whole = run(scope(content_length=size, **told), Visitor(parts=[MEBIBYTE] * 4))
    chunked = run(scope(transfer_encoding="chunked", **told), Visitor(parts=[MEBIBYTE] * 5))

    assert (whole.status, whole.text) == (200, size.encode())
    assert chunked.status == 413


class Stuck(Visitor):
    """Sends the first part and nothing more."""

    async def receive(self) -> Any:
        """Hand over a part, once."""
        if self.taken:
            await asyncio.Future()
        return await super().receive()


def test_a_body_that_stops_coming_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "IDLE_SECONDS", 0.05)
    found = run(scope(content_length="1000", expect="100-continue"), Stuck(parts=[b"x"]))

    assert found.status == 408


def test_a_body_that_drips_is_given_up_though_it_never_stops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(body, "IDLE_SECONDS", 0.1)
    monkeypatch.setattr(body, "DRAINED_SECONDS", 0.0)

    class Dripping(Visitor):
        async def receive(self) -> Any:
            await asyncio.sleep(0.02)
            return await super().receive()

    found = run(scope(content_length="1000"), Dripping(parts=[b"x"] * 1000))

    assert found.status == 408
    assert found.taken < 100


def test_the_room_of_a_body_is_given_back_however_it_ended() -> None:
    admission = edge()
    for headers in ({"content_length": "1000"}, {"transfer_encoding": "chunked"}):
        asyncio.run(visit(admission, scope(**headers), Visitor(parts=[b"x" * 1000])))
    asyncio.run(visit(admission, scope(transfer_encoding="chunked"), Visitor(parts=[MEBIBYTE] * 9)))

    rooms = admission.rooms
    assert rooms.forms.held == rooms.strangers.held == rooms.pushed.held == 0
    assert admission.work.inside == admission.sign_ins.queue.inside == 0


def asked_from(number: int, *, announced: int, **headers: str) -> dict[str, Any]:
    """Return a form of somebody's."""
    client = (f"192.0.2.{number}", 4711)
    asked = scope(path="/o/aurora/settings/", content_length=str(announced), **headers)
    return {**asked, "client": client}


@pytest.fixture
def _named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Know each who says a name."""
    monkeypatch.setattr("apps.operations.admission.credentials._looked_up", lambda look: look())
    monkeypatch.setattr(
        "apps.operations.admission.credentials.somebody_of",
        lambda *, authorization, cookies: cookies,
    )


async def beside_stuck_ones(admission: Admission, *, count: int, part: bytes) -> Visitor:
    """Return what becomes of a small form beside as many that announce all and stop."""
    forms = [asked_from(n % 32, announced=FORM_BYTES, cookie=f"{n % 32}") for n in range(count)]
    stuck = [asyncio.create_task(visit(admission, one, Stuck(parts=[part]))) for one in forms]
    await asyncio.sleep(0.1)
    asked = asked_from(99, announced=STRANGER_BYTES + 1, cookie="99")
    found = await visit(admission, asked, Visitor(parts=[b"x" * (STRANGER_BYTES + 1)]))
    for each in stuck:
        each.cancel()
    await asyncio.gather(*stuck, return_exceptions=True)
    return found


@pytest.mark.usefixtures("_named")
def test_what_was_only_announced_keeps_no_other_form_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_budget, "WAIT_SECONDS", 0.0)
    found = asyncio.run(beside_stuck_ones(edge(), count=64, part=b"x"))

    assert (found.status, found.text) == (200, b"%d" % (STRANGER_BYTES + 1))


@pytest.mark.usefixtures("_named")
def test_forms_that_stopped_make_room_for_one_that_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_budget, "LATE_SECONDS", 0.2)
    admission = edge()
    part = b"x" * (FORMS_BYTES // 32)
    found = asyncio.run(beside_stuck_ones(admission, count=32, part=part))

    assert (found.status, found.text) == (200, b"%d" % (STRANGER_BYTES + 1))
    assert admission.rooms.forms.held == 0


@pytest.mark.usefixtures("_named")
def test_one_person_has_a_sixteenth_of_the_room_for_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_budget, "WAIT_SECONDS", 0.0)

    async def third() -> Visitor:
        admission = edge()
        asked = asked_from(1, announced=FORM_BYTES, cookie="1")
        parts = [b"x" * FORM_BYTES]
        stuck = [asyncio.create_task(visit(admission, asked, Stuck(parts=parts))) for _ in range(2)]
        await asyncio.sleep(0.1)
        found = await visit(admission, asked, Visitor(parts=parts))
        for each in stuck:
            each.cancel()
        return found

    assert asyncio.run(third()).status == 429


@pytest.mark.usefixtures("_named")
def test_a_crowd_of_strangers_holds_little_and_keeps_nobody_out_who_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sixty-four networks send as much as they may and hold it while they wait for a turn."""
    monkeypatch.setattr(byte_budget, "WAIT_SECONDS", 0.0)
    most, known = asyncio.run(beside_a_crowd(path="/o/aurora/settings/"))

    assert most <= STRANGERS_BYTES
    assert (known.status, known.text) == (200, b"1000")


async def beside_a_crowd(*, path: str) -> tuple[int, Visitor]:
    """Return how much a crowd held at most, and what became of a member's form beside it."""
    goes_on = asyncio.Event()
    networks = [f"10.0.{network}.1" for network in range(4 * SHARES)]

    async def busy(asked: Any, receive: Any, send: Any) -> None:
        async def slowly(message: Any) -> None:
            if asked["client"][0] in networks:
                await goes_on.wait()
            await send(message)

        await echo(asked, receive, slowly)

    admission = edge(busy, limits=replace(LIMITS, concurrent=10_000))
    size = 2 * STRANGERS_BYTES // len(networks)
    each = [asked_from(1, announced=size) | {"client": (one, 1)} for one in networks]
    small = [asked_from(1, announced=STRANGER_BYTES) | {"client": (one, 1)} for one in networks]
    crowd = [
        asyncio.create_task(visit(admission, one, Visitor(parts=[b"x" * size])))
        for one in [*each, *small * 16]
    ]
    await asyncio.sleep(0.2)
    budgets = (admission.rooms.forms, admission.rooms.strangers, admission.rooms.pushed)
    most = sum(budget.held for budget in budgets)
    asked = scope(path=path, content_length="1000", cookie="member")
    known = await visit(admission, asked, Visitor(parts=[b"x" * 1000]))
    goes_on.set()
    await asyncio.gather(*crowd)
    return most, known


@pytest.mark.parametrize("said", [{"content_length": f"{2**17}"}, {"transfer_encoding": "chunked"}])
def test_a_stranger_sends_no_more_than_a_name_and_a_password(said: dict[str, str]) -> None:
    asked = scope(path="/o/aurora/settings/", **said)
    found = run(asked, Visitor(parts=[b"x" * 2**14] * 8))

    assert found.status == 413


@pytest.mark.usefixtures("_named")
def test_who_is_known_sends_a_form_as_large_as_before() -> None:
    asked = scope(path="/o/aurora/settings/", content_length=f"{FORM_BYTES}", cookie="member")
    found = run(asked, Visitor(parts=[MEBIBYTE]))

    assert (found.status, found.text) == (200, b"%d" % FORM_BYTES)


def test_who_was_fast_saves_nothing_up_for_later() -> None:
    steady, bursting = body_pace.BodyPace(), body_pace.BodyPace()
    bursting.count(64 * 2**20, now=0.0)
    for second in range(1, 11):
        steady.count(body_pace.PACE, now=float(second))

    assert steady.behind(now=10.0) == 0.0
    assert bursting.behind(now=10.0) == 10.0


def test_the_address_of_the_watchers_takes_no_endless_body_either() -> None:
    for said in ({"transfer_encoding": "chunked"}, {"content_length": "99999999999"}):
        found = run(scope(path="/healthz", **said), Visitor(parts=endless()))
        assert found.status == 413
        assert found.taken <= body.DRAINED_BYTES + 3 * len(MEBIBYTE)


def test_a_method_in_small_letters_is_the_same_method() -> None:
    for path in ("/sign-in/", "/o/aurora/settings/account/password/"):
        assert routes.hashes(scope(method="post", path=path))
    assert routes.takes_large_bodies(scope(method="post", path="/o/aurora/upload/"))


@pytest.mark.parametrize("path", ["/sign-in/", "/healthz"])
def test_more_cookies_than_the_portal_gives_are_read_by_nobody(path: str) -> None:
    asked: list[object] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        asked.append(scope)

    cookies = scope(method="GET", path=path, cookie='a="' + '\\"' * 8_000 + '"')
    found = asyncio.run(visit(edge(application), cookies, Visitor()))

    assert (found.status, asked) == (413, [])


def test_what_an_answer_still_reads_while_it_is_sent_waits_for_turns() -> None:
    """Forty readers of long answers at once are as many at work as forty of short ones."""
    at_work = most = 0

    async def application(asked: Any, receive: Any, send: Any) -> None:
        nonlocal at_work, most
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(3):
            async with asked["portal.later_turn"]():
                at_work += 1
                most = max(most, at_work)
                await asyncio.sleep(0)
                at_work -= 1
            await send({"type": "http.response.body", "body": b"x", "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def read_all(admission: Admission) -> list[Visitor]:
        asked = [asked_from(n % 4, announced=0) for n in range(40)]
        return await asyncio.gather(*(visit(admission, each, Visitor()) for each in asked))

    admission = edge(application)
    found = asyncio.run(read_all(admission))

    assert {each.text for each in found} == {b"xxx"}
    assert 1 < most <= LIMITS.concurrent
    assert admission.work.inside == 0


def test_an_answer_whose_turn_does_not_come_breaks_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.operations.admission.visit.QUEUE_SECONDS", 0.0)

    async def application(asked: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        async with asked["portal.later_turn"]():
            await send({"type": "http.response.body", "body": b"x"})

    async def read(admission: Admission) -> Visitor:
        taken = [admission.work.turn(str(n), seconds=1) for n in range(LIMITS.concurrent - 1)]
        for each in taken:
            await each.__aenter__()
        asked, other = asked_from(1, announced=0), admission.work.turn("late", seconds=1)
        visitor = Visitor()

        async def send(message: Any) -> None:
            await visitor.send(message)
            await other.__aenter__()  # somebody else takes the turn that ended with the start

        await admission(asked, visitor.receive, send)
        return visitor

    found = asyncio.run(read(edge(application)))

    assert (found.status, found.text) == (200, b"")
