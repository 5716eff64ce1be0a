"""A look at a credential: once for all that show it at the same time."""

import asyncio
from threading import Event

import pytest

from apps.operations.admission import credentials
from apps.operations.admission.credentials import Credentials
from tests.apps.operations.admission.visits import scope

ASKED = scope(path="/api/v1/logs", authorization="Bearer flood", content_length="1")


def test_all_that_show_a_credential_at_the_same_time_are_looked_up_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[None] = []
    found = Event()

    def look(_: object) -> str:
        looked.append(None)
        found.wait(5)
        return "organization 7"

    monkeypatch.setattr(credentials, "_looked_up", look)

    async def story() -> list[str | None]:
        known = Credentials()
        tasks = [asyncio.create_task(known.owner_of(ASKED, address="a")) for _ in range(8)]
        await asyncio.sleep(0.05)
        tasks[0].cancel()  # who began it goes away
        found.set()
        return await asyncio.gather(*tasks[1:])

    assert asyncio.run(story()) == ["organization 7"] * 7
    assert len(looked) == 1
