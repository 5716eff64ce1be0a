"""One organization's flood waits by itself: others come in between, and it alone is refused."""

from collections.abc import Callable
from contextlib import ExitStack
from threading import Event, Thread
from time import monotonic

import pytest
from django.db import OperationalError
from django.test import Client
from psycopg.errors import LockNotAvailable

from apps.api.receivers import inventory
from apps.operations.http import presence
from apps.telemetry.limits import push_turns
from apps.telemetry.limits.push_turns import (
    BURST_SECONDS,
    SHARE,
    THERE_SECONDS,
    Shares,
    TooManyAtOnce,
    Turns,
)
from tests.cast.pushes import cast, push_json

PATIENCE = 20.0
PATHS = {
    "/api/v1/inventory": 429,
    "/api/v1/session-events": 429,
    "/loki/api/v1/push": 429,
    "/v1/logs": 429,
    "/v1/metrics": 429,
    "/api/v1/write": 429,
    "/api/v1/logs": 429,
    # Its sender drops for good what it is told 429 for.
    "/api/v1/alertmanager": 503,
}


def wait_for(seen: Callable[[], bool]) -> None:
    """Return once something is so."""
    ends_at = monotonic() + PATIENCE
    while not seen() and monotonic() < ends_at:
        Event().wait(0.005)
    assert seen()


def test_one_organization_holds_no_more_turns_than_its_own() -> None:
    line = Turns(at_once=4, of_one=2, waiting=5)
    with line.turn(1, seconds=0), line.turn(1, seconds=0):
        with pytest.raises(TooManyAtOnce), line.turn(1, seconds=0):
            pass
        with ExitStack() as others:
            others.enter_context(line.turn(2, seconds=0))
            others.enter_context(line.turn(3, seconds=0))
            with pytest.raises(TooManyAtOnce), line.turn(4, seconds=0):
                pass
        with line.turn(4, seconds=0), line.turn(4, seconds=0):
            pass


def test_whoever_failed_in_a_turn_gives_it_back() -> None:
    line = Turns(at_once=1, of_one=1, waiting=0)
    for _ in range(3):
        with pytest.raises(OSError, match="torn"), line.turn(1, seconds=0):
            raise OSError("torn")
    with line.turn(2, seconds=0):
        pass


def test_a_line_is_as_long_as_it_may_be_and_others_have_their_own() -> None:
    line = Turns(at_once=1, of_one=1, waiting=2)
    order: list[int] = []

    def take(organization_id: int) -> None:
        with line.turn(organization_id, seconds=PATIENCE):
            order.append(organization_id)

    threads = [Thread(target=take, args=(each,)) for each in (1, 1, 2)]
    with ExitStack() as held:
        held.enter_context(line.turn(9, seconds=0))
        for count, thread in enumerate(threads, start=1):
            thread.start()
            wait_for(lambda count=count: sum(map(len, line._lines.values())) == count)  # type: ignore[misc]
        with pytest.raises(TooManyAtOnce), line.turn(1, seconds=PATIENCE):
            pass
    for thread in threads:
        thread.join(PATIENCE)
    assert order == [1, 2, 1]  # one of each, then the next of each


def test_a_share_is_only_looked_at_where_others_are_there() -> None:
    shares = Shares()
    shares.add(1, seconds=10 * BURST_SECONDS, at=0)
    shares.require(1, at=0)
    shares.note_reader(at=0)
    with pytest.raises(TooManyAtOnce):
        shares.require(1, at=0)
    shares.require(2, at=0)
    shares.require(1, at=THERE_SECONDS)


def test_who_keeps_its_turns_busy_on_a_machine_without_processors_to_spare_is_over_its_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shares = Shares()
    monkeypatch.setattr(push_turns, "SHARES", shares)
    with push_turns.turn(1):
        Event().wait(0.3)  # as a thread that gets no processor

    assert push_turns.cost(worked=0.02, passed=0.05) == 0.02
    assert push_turns.cost(worked=0.02, passed=3.0) == pytest.approx(3 * push_turns.OCCUPIED)
    assert shares._used[1][0] >= 0.3 * push_turns.OCCUPIED


def test_a_share_comes_back_with_time() -> None:
    shares = Shares()
    shares.add(1, seconds=BURST_SECONDS + 1, at=0)
    shares.note_reader(at=0)
    with pytest.raises(TooManyAtOnce):
        shares.require(1, at=0)
    shares.note_reader(at=1 / SHARE)
    shares.require(1, at=1 / SHARE)


@pytest.mark.django_db
@pytest.mark.parametrize(("path", "status"), PATHS.items(), ids=PATHS)
def test_who_has_its_turns_at_work_is_asked_to_come_back_and_nobody_else(
    path: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = cast()
    monkeypatch.setattr(push_turns, "TURNS", Turns(at_once=8, of_one=1, waiting=0))

    def push(token: str) -> tuple[int, str]:
        answer = Client().post(
            path,
            b"{}",
            content_type="application/json",
            headers={"Authorization": f"Bearer {token}"},
        )
        return answer.status_code, answer.get("Retry-After", "")

    with push_turns.TURNS.turn(people.operator.pk, seconds=0):
        assert push(people.token(people.operator)) == (status, "5")
        assert push(people.token(people.platform))[0] not in {status, 500}
    assert push(people.token(people.operator))[0] not in {status, 500}


@pytest.mark.django_db
def test_who_meets_anothers_lock_comes_back_and_is_not_told_that_the_portal_is_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = cast()

    def locked(**_: object) -> None:
        raise OperationalError("canceling statement due to lock timeout") from LockNotAvailable()

    monkeypatch.setattr(inventory, "record_inventory", locked)
    answer = push_json("/api/v1/inventory", people.token(people.operator), {"nodes": []})
    assert (answer.status_code, answer["Retry-After"]) == (429, "5")
    assert answer.json()["code"] == "busy"


@pytest.mark.django_db
def test_who_reads_pages_counts_as_there(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = Shares()
    monkeypatch.setattr(presence, "SHARES", shares)
    shares.add(1, seconds=1000, at=monotonic())
    Client().get("/healthz")
    shares.require(1, at=monotonic())
    Client().get("/o/nobody/")
    with pytest.raises(TooManyAtOnce):
        shares.require(1, at=monotonic())
