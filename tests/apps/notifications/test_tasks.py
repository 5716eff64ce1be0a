"""The doors of the workers: what wakes them, who runs at once, and what a sweep finds."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from apps.incidents import subscribers
from apps.incidents.models import Incident
from apps.notifications import tasks, wakeups
from apps.notifications.delivery.outbox import SendingTurn
from apps.notifications.models import Delivery, Notification
from apps.notifications.notification_kinds import Channel
from apps.notifications.silence import silence_detection
from apps.notifications.webhook import webhook_delivery
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import cooldowns, worker_shares
from tests.apps.notifications.receiving import mail_server, person, receiver, webhook
from tests.cast.incidents import Cast, attempt_of, stop_of

Sent = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """What would be handed to the broker: name and arguments."""
    told: Sent = []

    def send_task(name: str, **options: Any) -> None:
        told.append((name, options["kwargs"]))

    monkeypatch.setattr("celery.current_app.send_task", send_task)
    return told


@pytest.fixture(autouse=True)
def _fresh_cache() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def fresh_stop(cast: Cast) -> Incident:
    """Let a session stop just now."""
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(detected_at=timezone.now())  # noqa: TID251
    return incident


def test_every_party_is_looked_at_when_an_incident_changed(cast: Cast, sent: Sent) -> None:
    subscribers.tell(organization_ids={cast.tenant.pk, cast.operator.pk})
    ids = sorted((cast.tenant.pk, cast.operator.pk))
    assert sent == [(tasks.LOOK, {"organization_id": each}) for each in ids]


def test_a_broker_that_is_away_breaks_nothing(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ConnectionError

    monkeypatch.setattr("celery.current_app.send_task", broken)
    subscribers.tell(organization_ids={cast.tenant.pk})


def test_the_sweep_finds_what_no_hint_told_of(cast: Cast, sent: Sent, settings: Any) -> None:
    fresh_stop(cast)
    person(cast.tenant, "ann")
    with receiver() as there, mail_server(settings) as box:
        webhook(cast.tenant, there.url)
        tasks.sweep()
        parties = {cast.tenant.pk, cast.operator.pk, cast.vendor.pk}
        assert {each[1]["organization_id"] for each in sent if each[0] == tasks.LOOK} == parties
        tasks.look(organization_id=cast.tenant.pk)
        sent.clear()
        tasks.sweep()
        assert ("notifications.post", {"organization_id": cast.tenant.pk}) in sent
        assert ("notifications.send_mail", {}) in sent
        tasks.send_mail()
        tasks.post(organization_id=cast.tenant.pk)
        sent.clear()
        cache.clear()  # as if what was asked before had got lost
        tasks.sweep()
        assert {name for name, _ in sent} == {tasks.LOOK}
        assert all(each[1]["organization_id"] != cast.tenant.pk for each in sent)
        assert len(box.letters) == len(there.arrived) == 1


def test_who_is_heard_is_looked_at_for_each_organization_apart(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def ask(*, kwargs: dict[str, int], expires: int) -> None:
        asked.append(kwargs["organization_id"])

    monkeypatch.setattr(tasks.listen_to, "apply_async", ask)
    tasks.listen()
    assert set(cast.ids) <= set(asked)

    heard: list[int] = []

    def listen(*, organization_id: int, now: datetime) -> None:
        heard.append(organization_id)

    monkeypatch.setattr(silence_detection, "listen", listen)
    tasks.listen_to(organization_id=cast.tenant.pk)
    assert heard == [cast.tenant.pk]


def _turns(monkeypatch: pytest.MonkeyPatch, turn: SendingTurn) -> list[SendingTurn]:
    """Let turns of mail end like this; return those that were taken."""
    taken: list[SendingTurn] = []

    def take_turn(**_: Any) -> SendingTurn:
        taken.append(turn)
        return turn

    monkeypatch.setattr(tasks, "NEWS", SimpleNamespace(take_turn=take_turn))
    return taken


def test_one_turn_of_mail_at_a_time(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = _turns(monkeypatch, SendingTurn())
    with worker_shares.only_one(wakeups.MAIL, seconds=60) as is_mine:
        assert is_mine
        tasks.send_mail()
        assert taken == []
    tasks.send_mail()
    assert len(taken) == 1


def test_webhooks_that_wait_for_servers_leave_a_process(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.clear()
    taken: list[int] = []

    def take_turn(*, organization_id: int, **_: Any) -> SendingTurn:
        taken.append(organization_id)
        with worker_shares.network() as may_wait:  # while this one waits for its server
            assert may_wait == (worker_shares.of_network() > 1)
        return SendingTurn()

    monkeypatch.setattr(webhook_delivery, "take_turn", take_turn)
    held = [worker_shares.network() for _ in range(worker_shares.of_network())]
    assert all(each.__enter__() for each in held)
    tasks.post(organization_id=cast.tenant.pk)
    assert taken == []
    held[0].__exit__(None, None, None)
    for _ in range(2):  # what a turn held is free when it ends
        tasks.post(organization_id=cast.tenant.pk)
    assert taken == [cast.tenant.pk] * 2


def test_a_mail_server_that_is_away_rests(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = _turns(monkeypatch, SendingTurn(failed_count=1, is_server_away=True))
    for _ in range(3):
        tasks.send_mail()
    assert len(taken) == 1
    assert cooldowns.resting([wakeups.MAIL])


def test_what_was_told_long_ago_goes_sent_or_not(cast: Cast) -> None:
    with organization_scope(cast.tenant.pk):
        for name, age in (("old", 91), ("waiting", 91), ("young", 89)):
            notice = Notification.objects.create(
                organization=Organization.objects.get(pk=cast.tenant.pk),
                public_id=name,
                kind="test",
                subject=name,
                step=1,
                body={},
                created_at=timezone.now() - timedelta(days=age),  # noqa: TID251  the task reads it
            )
            if name != "old":
                Delivery.objects.create(
                    organization=notice.organization,
                    public_id=name,
                    notice=notice,
                    channel=Channel.WEBHOOK,
                    due_at=notice.created_at,
                    waits_since=notice.created_at,
                    created_at=notice.created_at,
                )
    tasks.retire_of(organization_id=cast.tenant.pk)
    with organization_scope(cast.tenant.pk):
        assert [each.public_id for each in Notification.objects.all()] == ["young"]
