"""A sender over its share is refused again without work; nobody else is."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from portal.admission import recent_refusals
from portal.admission.application import Admission
from portal.admission.fair_queue import FairQueue
from tests.portal.admission.visits import Visitor, edge, scope, visit

PUSH, OTHER, UPLOAD = "/api/v1/logs", "/loki/api/v1/push", "/o/aurora/upload/"


class Busy:
    """Refuses everybody, and counts who asked."""

    def __init__(self, *, status: int) -> None:
        self.status, self.asked = status, 0

    async def __call__(self, asked: Any, receive: Any, send: Any) -> None:
        """Answer after the body."""
        while (await receive()).get("more_body", False):
            pass
        self.asked += 1
        headers = [(b"Retry-After", b"5"), (b"X-Request-ID", b"%d" % self.asked)]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"come back later"})


@pytest.fixture(autouse=True)
def _believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the token for the name of its organization, and time for granted."""
    monkeypatch.setattr(recent_refusals, "PAUSE_SECONDS", 0)
    monkeypatch.setattr("portal.admission.credentials._looked_up", lambda look: look())
    monkeypatch.setattr(
        "portal.admission.credentials.sender_of", lambda *, authorization: authorization
    )
    monkeypatch.setattr("portal.admission.credentials.uploader_of", lambda *, cookies, slug: slug)


def ask(busy: Busy, pushes: Sequence[tuple[str, str]], size: int = 1000) -> list[Visitor]:
    """Return what becomes of pushes of (organization, address), one after the other."""

    async def each(admission: Admission) -> list[Visitor]:
        found = []
        for sender, path in pushes:
            asked = scope(path=path, authorization=sender, content_length=str(size))
            found.append(await visit(admission, asked, Visitor(parts=[b"x" * size])))
        return found

    return asyncio.run(each(edge(busy)))


@pytest.mark.parametrize("status", [429, 503])
def test_who_was_refused_is_refused_again_in_the_same_words_without_work(status: int) -> None:
    busy = Busy(status=status)
    first, again, more = ask(busy, [("flood", PUSH)] * 3)

    assert busy.asked == 1
    assert {(each.status, each.text) for each in (first, again, more)} == {
        (status, b"come back later")
    }
    assert again.headers == {b"Retry-After": b"5"}  # of one answer is its id; the line stays open
    assert again.taken == 1000


def test_nobody_else_is_refused_for_it_and_nothing_else() -> None:
    busy = Busy(status=429)
    ask(busy, [("flood", PUSH), ("quiet", PUSH), ("flood", OTHER)])

    assert busy.asked == 3


@pytest.mark.parametrize("status", [200, 202, 400, 413])
def test_other_answers_are_not_said_again(status: int) -> None:
    busy = Busy(status=status)
    ask(busy, [("flood", PUSH)] * 3)

    assert busy.asked == 3


def test_a_page_is_for_one_person_alone() -> None:
    busy = Busy(status=429)
    ask(busy, [("", UPLOAD)] * 2)

    assert busy.asked == 2


def test_a_second_later_the_sender_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent_refusals, "KEPT_SECONDS", 0.0)
    busy = Busy(status=429)
    ask(busy, [("flood", PUSH)] * 3)

    assert busy.asked == 3


def test_a_large_body_that_is_refused_again_is_not_read() -> None:
    busy = Busy(status=429)
    size = 2**20
    _, again = ask(busy, [("flood", PUSH)] * 2, size=size)

    assert busy.asked == 1
    assert again.headers[b"connection"] == b"close"


def test_who_asks_again_at_once_waits_and_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent_refusals, "PAUSE_SECONDS", 0.2)
    ended: list[str] = []

    async def one(admission: Admission, sender: str) -> None:
        asked = scope(path=PUSH, authorization=sender, content_length="1")
        await visit(admission, asked, Visitor(parts=[b"x"]))
        ended.append(sender)

    async def all_of_them() -> None:
        admission = edge(Busy(status=429))
        await one(admission, "flood")
        await asyncio.gather(*(one(admission, sender) for sender in ("flood", "quiet")))

    asyncio.run(all_of_them())
    assert ended == ["flood", "quiet", "flood"]


def _refused(kept: recent_refusals.RecentRefusals, status: int = 429) -> None:
    start: dict[str, Any] = {"type": "http.response.start", "status": status, "headers": []}
    kept.keep(sender="flood", path=PUSH, start=start, body=b"later")


def test_when_a_refusal_is_old_one_asks_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(recent_refusals, "monotonic", lambda: now[0])
    kept = recent_refusals.RecentRefusals()
    _refused(kept)
    now[0] += recent_refusals.KEPT_SECONDS + 0.1
    found = [kept.find(sender="flood", path=PUSH) for _ in range(3)]
    assert [each is None for each in found] == [True, False, False]

    now[0] += recent_refusals.KEPT_SECONDS + recent_refusals.FORGOTTEN_SECONDS + 0.1
    assert [kept.find(sender="flood", path=PUSH) for _ in range(3)] == [None] * 3


def test_once_a_push_is_taken_all_are_heard() -> None:
    kept = recent_refusals.RecentRefusals()
    _refused(kept)
    _refused(kept, status=202)
    assert kept.find(sender="flood", path=PUSH) is None


def test_refusals_of_one_hold_up_nobody_else_at_its_address() -> None:
    waiting = asyncio.Event()
    said: list[str] = []

    async def slow(asked: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body", False):
            pass
        said.append(asked["path"])
        if asked["path"] == PUSH:
            await waiting.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def all_of_them() -> list[int]:
        admission = edge(slow)
        admission.work = FairQueue(capacity=3, each=1, waiting=8, each_waiting=1)
        push = scope(path=PUSH, authorization="flood", content_length="1")
        first, second = (
            asyncio.create_task(visit(admission, push, Visitor(parts=[b"x"]))) for _ in range(2)
        )
        await asyncio.sleep(0.01)
        third = await visit(admission, push, Visitor(parts=[b"x"]))
        page = await visit(admission, scope("GET", "/"), Visitor())
        waiting.set()
        return [each.status for each in (third, page, await first, await second)]

    assert asyncio.run(all_of_them()) == [429, 200, 200, 200]
    assert said == [PUSH, "/", PUSH]  # the third was told at the door
