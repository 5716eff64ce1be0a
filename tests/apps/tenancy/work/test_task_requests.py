"""Whoever asks a thousand times has one place in the queue, and nobody holds every process."""

from typing import Any

import pytest
from celery import current_app
from django.conf import LazySettings
from django.core.cache import cache
from redis.exceptions import ConnectionError as Away

from apps.tenancy.work import task_requests, worker_shares

Sent = list[tuple[str, dict[str, int]]]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """What was put into queues."""
    cache.clear()
    found: Sent = []

    def send(task: str, *, kwargs: dict[str, int], **_: Any) -> None:
        found.append((task, kwargs))

    monkeypatch.setattr(current_app, "send_task", send)
    return found


def test_a_thousand_asks_are_one_place_in_the_queue_of_each_organization(sent: Sent) -> None:
    for _ in range(1000):
        task_requests.ask("a.task", queue="ingest", organization_id=1)
    task_requests.ask("a.task", queue="ingest", organization_id=2)
    task_requests.ask("another.task", queue="ingest", organization_id=1)
    task_requests.ask("a.task", queue="ingest")
    assert sent == [
        ("a.task", {"organization_id": 1}),
        ("a.task", {"organization_id": 2}),
        ("another.task", {"organization_id": 1}),
        ("a.task", {}),
    ]


def test_what_comes_after_a_turn_began_asks_for_another(sent: Sent) -> None:
    task_requests.ask("a.task", queue="ingest", organization_id=1)
    task_requests.begin("a.task", organization_id=1)
    task_requests.ask("a.task", queue="ingest", organization_id=1)
    assert len(sent) == 2


def test_without_a_broker_nobody_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object, **__: object) -> None:
        raise Away

    for name in ("add", "delete", "get_many", "set"):
        monkeypatch.setattr(cache, name, away)
    task_requests.ask("a.task", queue="ingest", organization_id=1)
    task_requests.begin("a.task", organization_id=1)
    with worker_shares.network() as may_wait, worker_shares.of_organization(1) as may_work:
        assert may_wait
        assert may_work


def test_an_organization_has_half_of_the_processes_in_all_kinds_of_work_while_others_are_there(
    settings: LazySettings,
) -> None:
    cache.clear()
    settings.PORTAL_ALL_WORKER_PROCESSES = 2
    with worker_shares.of_organization(1) as first, worker_shares.of_organization(1) as second:
        assert first
        assert second  # nobody else is there
        with worker_shares.of_organization(2) as other, worker_shares.of_organization(1) as third:
            assert other
            assert not third
    with worker_shares.of_organization(1) as afterwards:
        assert afterwards


def test_a_turn_that_may_not_be_now_is_asked_for_again(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.clear()
    settings.PORTAL_ALL_WORKER_PROCESSES = 2
    waits: list[float | None] = []
    monkeypatch.setattr(
        current_app, "send_task", lambda *_, countdown, **__: waits.append(countdown)
    )

    def turn(of: int, *, is_more: bool) -> None:
        worker_shares.take_turn("a.task", queue="ingest", organization_id=of, work=lambda: is_more)

    turn(1, is_more=True)
    turn(1, is_more=False)
    assert waits == [None]  # alone, at once
    turn(2, is_more=True)  # its other work comes between
    with worker_shares.of_organization(1):
        turn(1, is_more=True)
    assert waits == [None, worker_shares.PAUSE_SECONDS, worker_shares.AGAIN_SECONDS]


@pytest.mark.parametrize(("processes", "network", "of_one"), [(1, 1, 1), (2, 1, 1), (8, 7, 4)])
def test_who_waits_for_servers_elsewhere_leaves_a_process(
    processes: int, network: int, of_one: int, settings: LazySettings
) -> None:
    cache.clear()
    settings.PORTAL_ALL_WORKER_PROCESSES = processes
    assert (worker_shares.of_network(), worker_shares.of_one()) == (network, of_one)
    held = [worker_shares.network() for _ in range(network)]
    assert all(each.__enter__() for each in held)
    with worker_shares.network() as may_wait:
        assert not may_wait
    held[0].__exit__(None, None, None)
    with worker_shares.network() as may_wait:
        assert may_wait
