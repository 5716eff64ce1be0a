"""Who makes the portal hash passwords: few at once, each place in turn, failures bounded."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.urls import reverse

from apps.operations.admission import routes, sign_ins
from apps.operations.admission.application import Admission
from apps.operations.admission.sign_ins import FAILURES, SignIns
from tests.apps.operations.admission.visits import Visitor, edge, scope, visit

# A view that reads a password is marked so that none stands on an error page.
PASSWORD = re.compile(r"sensitive_post_parameters\((?:\"password\"|\))")


@pytest.fixture(autouse=True)
def _no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer at once."""
    monkeypatch.setattr(sign_ins, "DELAY_SECONDS", 0.0)


class Door:
    """An application that hashes: how many are in it at once, and what it answers."""

    def __init__(self, *, status: int = 401) -> None:
        self.status, self.inside, self.most = status, 0, 0

    async def __call__(self, asked: Any, receive: Any, send: Any) -> None:
        """Take a while."""
        await receive()
        withheld = asked.get("portal.withheld")
        self.inside += 0 if withheld else 1
        self.most = max(self.most, self.inside)
        await asyncio.sleep(0.01)
        self.inside -= 0 if withheld else 1
        status = withheld.status if withheld else self.status
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b""})


async def storm(admission: Admission, asked: list[dict[str, Any]]) -> list[int]:
    """Ask everything at the same time; return the statuses."""
    found = await asyncio.gather(*(visit(admission, each, Visitor()) for each in asked))
    return [each.status for each in found]


def of(client: str, path: str = "/sign-in/") -> dict[str, Any]:
    """Return a request from an address."""
    return scope(path=path, content_length="0") | {"client": (client, 1)}


def test_many_who_sign_in_at_once_are_hashed_one_after_the_other() -> None:
    door = Door()
    admission = edge(door)
    admission.sign_ins = SignIns(capacity=1)
    statuses = asyncio.run(storm(admission, [of(f"192.0.2.{n}") for n in range(16)]))

    assert door.most == 1
    assert statuses == [401] * 16


def test_one_address_that_asks_for_more_than_may_wait_is_told_to_come_back() -> None:
    door = Door()
    admission = edge(door)
    admission.sign_ins = SignIns(capacity=4)
    statuses = asyncio.run(storm(admission, [of("192.0.2.1")] * 16))

    assert door.most == 1
    assert statuses.count(429) == 16 - 1 - sign_ins.EACH_WAITING


def test_failures_of_one_network_are_bounded_and_others_are_not_touched() -> None:
    admission = edge(Door())

    async def attempts() -> list[int]:
        found = [
            await storm(admission, [of(f"2001:db8::{n:x}")]) for n in range(1, int(FAILURES) + 4)
        ]
        return [each[0] for each in found] + await storm(admission, [of("2001:db8:0:1::1")])

    statuses = asyncio.run(attempts())
    assert statuses == [401] * int(FAILURES) + [429] * 3 + [401]


def test_an_office_whose_people_get_in_is_not_bounded() -> None:
    admission = edge(Door(status=302))

    async def attempts() -> set[int]:
        found = [await storm(admission, [of("192.0.2.1")]) for _ in range(int(FAILURES) * 2)]
        return {each[0] for each in found}

    assert asyncio.run(attempts()) == {302}


def test_what_is_remembered_of_strangers_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_ins, "REMEMBERED", 100)
    turns = SignIns(capacity=1)
    for number in range(1000):
        turns.require(f"192.0.2.{number}")

    assert len(turns._buckets) <= 101


def test_every_page_that_takes_a_password_waits_its_turn() -> None:
    web = Path(settings.BASE_DIR) / "apps" / "web"
    views = [*web.rglob("view.py"), *web.rglob("*_view.py")]
    asking = {
        str(each.relative_to(web)) for each in views if PASSWORD.search(each.read_text("utf-8"))
    }
    addresses = {
        "sign_in/view.py": reverse("web:sign_in"),
        "sign_in/join_view.py": reverse("web:join", args=["aurora.x"]),
        "sign_in/second_factor_view.py": reverse("account_reauthenticate"),
        "settings/account/view.py": reverse("web:password", args=["aurora"]),
    }

    assert asking == set(addresses)
    assert all(routes.hashes(scope(path=each)) for each in addresses.values())
    assert not any(routes.hashes(scope("GET", path=each)) for each in addresses.values())


def test_the_addresses_of_large_bodies_are_those_of_the_receivers() -> None:
    assert "/api/v1/write" in routes.pushes()
    assert len(routes.pushes()) == 12
    assert all(routes.takes_large_bodies(scope(path=each)) for each in routes.pushes())
    assert routes.takes_large_bodies(scope(path="/o/aurora/upload/"))
    assert not routes.takes_large_bodies(scope("GET", path="/o/aurora/upload/"))
    assert not routes.takes_large_bodies(scope(path="/o/aurora/settings/"))
