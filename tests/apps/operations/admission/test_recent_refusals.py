"""A sender over its share is refused again without work; nobody else is."""

import asyncio
import base64
from collections.abc import Sequence
from typing import Any

import pytest

from apps.operations.admission import recent_refusals
from apps.operations.admission.application import Admission
from apps.operations.admission.fair_queue import FairQueue
from tests.apps.operations.admission.visits import Visitor, edge, scope, visit

TOLD: dict[str, Any] = {"owner": "flood", "token": b"a", "path": "/api/v1/logs"}
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
    """Take what a token begins with for its organization, and time for granted."""
    monkeypatch.setattr(recent_refusals, "PAUSE_SECONDS", 0)
    monkeypatch.setattr("apps.operations.admission.credentials._looked_up", lambda look: look())
    monkeypatch.setattr(
        "apps.operations.admission.credentials.sender_of",
        lambda *, authorization: authorization.split()[-1].partition("/")[0],
    )
    monkeypatch.setattr(
        "apps.operations.admission.credentials.uploader_of", lambda *, cookies, slug: slug
    )


def ask(busy: Busy, pushes: Sequence[tuple[str, str]], size: int = 1000) -> list[Visitor]:
    """Return what becomes of pushes of (token, address), one after the other."""

    async def each(admission: Admission) -> list[Visitor]:
        found = []
        for sender, path in pushes:
            named = sender if " " in sender else f"Bearer {sender}"
            asked = scope(path=path, authorization=named, content_length=str(size))
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


def test_another_token_of_the_organization_is_heard() -> None:
    busy = Busy(status=429)
    ask(busy, [("flood/a", PUSH), ("flood/b", PUSH), ("flood/a", PUSH)])

    assert busy.asked == 2


def test_a_token_is_one_sender_however_it_is_written() -> None:
    busy = Busy(status=429)
    basic = base64.b64encode(b"anybody:flood/a").decode()
    ask(busy, [("flood/a", PUSH), ("bearer   flood/a", PUSH), (f"Basic {basic}", PUSH)])

    assert busy.asked == 1


def test_who_floods_with_many_tokens_is_one_sender_to_all_but_the_first() -> None:
    busy = Busy(status=429)
    ask(busy, [(f"flood/{n}", PUSH) for n in range(3 * recent_refusals.TOKENS_APART)])

    assert busy.asked == recent_refusals.TOKENS_APART + 1


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
        asked = scope(path=PUSH, authorization=f"Bearer {sender}", content_length="1")
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
    kept.keep(**TOLD, start=start, body=b"later")


def test_when_a_refusal_is_old_one_asks_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(recent_refusals, "monotonic", lambda: now[0])
    kept = recent_refusals.RecentRefusals()
    _refused(kept)
    now[0] += recent_refusals.KEPT_SECONDS + 0.1
    found = [kept.find(**TOLD) for _ in range(3)]
    assert [each is None for each in found] == [True, False, False]

    now[0] += recent_refusals.KEPT_SECONDS + recent_refusals.FORGOTTEN_SECONDS + 0.1
    assert [kept.find(**TOLD) for _ in range(3)] == [None] * 3


def test_once_a_push_is_taken_the_next_is_heard_and_later_all_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr(recent_refusals, "monotonic", lambda: now[0])
    kept = recent_refusals.RecentRefusals()
    _refused(kept)
    for _ in range(3):
        _refused(kept, status=202)
        assert [kept.find(**TOLD) is None for _ in range(3)] == [True, False, False]

    now[0] += recent_refusals.FORGOTTEN_SECONDS + 0.1
    assert [kept.find(**TOLD) for _ in range(3)] == [None] * 3


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(recent_refusals, "monotonic", lambda: now[0])
    kept = recent_refusals.RecentRefusals()
    start: dict[str, Any] = {"type": "http.response.start", "status": 429, "headers": []}
    for number in range(2 * recent_refusals.KEPT_AT_MOST):
        told = TOLD | {"owner": f"{number}"}
        kept.keep(**told, start=start, body=b"later")
        assert kept.find(**told) is not None  # whoever came last is remembered
    for number in range(100):
        kept.keep(**{**TOLD, "token": b"%d" % number}, start=start, body=b"later")

    sizes = [len(each) for each in kept._kept.values()]
    assert len(sizes) == recent_refusals.KEPT_AT_MOST
    assert max(sizes) == recent_refusals.TOKENS_APART + 1

    now[0] += recent_refusals.FORGOTTEN_SECONDS + recent_refusals.KEPT_SECONDS + 0.1
    kept.keep(**{**TOLD, "token": b"new"}, start=start, body=b"later")
    assert len(kept._kept["flood", PUSH]) == 1


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


def test_what_waited_for_its_turn_is_told_what_was_said_meanwhile() -> None:
    busy = Busy(status=429)

    async def all_of_them() -> list[int]:
        admission = edge(busy)
        admission.work = FairQueue(capacity=2, each=1, waiting=8, each_waiting=8)
        push = scope(path=PUSH, authorization="flood", content_length="1")
        visits = (visit(admission, push, Visitor(parts=[b"x"])) for _ in range(6))
        return [each.status for each in await asyncio.gather(*visits)]

    assert asyncio.run(all_of_them()) == [429] * 6
    assert busy.asked == 1


@pytest.mark.parametrize(("status", "beside"), [(202, 2), (429, 0)])
def test_pushes_leave_the_processor_to_pages(status: int, beside: int) -> None:
    asked: list[int | None] = []

    async def all_of_them() -> None:
        admission = edge(Busy(status=status))
        turn = admission.work.turn

        def told(key: str, *, seconds: float, beside: int | None = None) -> Any:
            asked.append(beside)
            return turn(key, seconds=seconds, beside=beside)

        admission.work.turn = told  # type: ignore[method-assign]
        for path in (PUSH, OTHER):
            push = scope(path=path, authorization="flood", content_length="1")
            await visit(admission, push, Visitor(parts=[b"x"]))
        await visit(admission, scope("GET", "/"), Visitor())

    asyncio.run(all_of_them())
    assert asked == [2, beside, None]
