"""What rests is left alone for a while, longer each time it fails in a row."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from redis.exceptions import ConnectionError as Away

from apps.tenancy.work import cooldowns, worker_shares

FIRST, LONGEST = timedelta(seconds=30), timedelta(minutes=5)


@pytest.fixture(autouse=True)
def _fresh_cache() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How long it rested, each time."""
    found: list[int] = []
    monkeypatch.setattr(cooldowns, "rest", lambda _, *, seconds: found.append(seconds))
    return found


def test_one_rests_and_the_others_do_not() -> None:
    cooldowns.rest("one", seconds=60)
    assert cooldowns.resting(["one", "other"]) == {"one"}
    cooldowns.rest("one", seconds=0)
    assert cooldowns.resting(["one"]) == set()


def test_each_failure_in_a_row_makes_the_rest_longer_up_to_the_longest(pauses: list[int]) -> None:
    for _ in range(6):
        cooldowns.rest_longer("server", first=FIRST, longest=LONGEST)
    cooldowns.rest_longer("another", first=FIRST, longest=LONGEST)
    assert pauses == [30, 60, 120, 240, 300, 300, 30]


def test_what_went_well_begins_anew(pauses: list[int]) -> None:
    for _ in range(2):
        cooldowns.rest_longer("server", first=FIRST, longest=LONGEST)
    cooldowns.forget_failures("server")
    cooldowns.rest_longer("server", first=FIRST, longest=LONGEST)
    assert pauses == [30, 60, 30]


def test_without_a_cache_nobody_rests_and_nobody_is_the_only_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def away(*_: Any, **__: Any) -> None:
        raise Away

    for name in ("get", "get_many", "set", "add", "delete"):
        monkeypatch.setattr(cache, name, away)
    cooldowns.rest("one", seconds=60)
    cooldowns.rest_longer("one", first=FIRST, longest=LONGEST)
    cooldowns.forget_failures("one")
    assert cooldowns.resting(["one"]) == set()
    with worker_shares.only_one("turn", seconds=60) as is_mine:
        assert not is_mine


def test_one_turn_of_a_name_at_a_time() -> None:
    with worker_shares.only_one("turn", seconds=60) as first:
        with worker_shares.only_one("turn", seconds=60) as second:
            assert (first, second) == (True, False)
        # Who had none gave none back.
        with worker_shares.only_one("turn", seconds=60) as third:
            assert not third
    with worker_shares.only_one("turn", seconds=60) as next_:
        assert next_
