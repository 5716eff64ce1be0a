"""Two at once, in two connections: told once, claimed once, no new secret lost."""

from threading import Barrier, Thread

import pytest
from django.db import connection

from apps.notifications.delivery import outbox
from apps.notifications.models import Delivery, Notification, Webhook
from apps.notifications.notification_kinds import Channel
from apps.notifications.occasions.incident_changes import look
from apps.notifications.webhook import webhook_settings
from apps.tenancy.access import Actor, Right
from apps.tenancy.credentials import unseal
from apps.tenancy.scope import organization_scope
from tests.apps.notifications.receiving import webhook
from tests.apps.notifications.revised_incidents import NOW
from tests.cast.incidents import assemble, attempt_of, stop_of


@pytest.mark.django_db(transaction=True)
def test_looks_at_once_tell_once_and_claims_at_once_take_once() -> None:
    cast = assemble()
    webhook(cast.tenant, "https://hooks.example.com/")
    stop_of(cast, attempt_of(cast, cast.tenant))
    start = Barrier(4)
    made: list[int] = []
    taken: list[Delivery | None] = []

    def come_in() -> None:
        start.wait()
        made.append(len(look(organization_id=cast.tenant.pk, now=NOW)))
        with organization_scope(cast.tenant.pk):
            taken.append(outbox.claim_post(organization_id=cast.tenant.pk, now=NOW))
        connection.close()

    workers = [Thread(target=come_in) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    with organization_scope(cast.tenant.pk):
        assert Notification.objects.count() == Delivery.objects.count() == 1
        waiting = outbox.waiting(organization_id=cast.tenant.pk, channel=Channel.WEBHOOK, now=NOW)
        assert not waiting.exists()
    assert sorted(made) == [0, 0, 0, 1]
    assert len([each for each in taken if each is not None]) == 1


@pytest.mark.django_db(transaction=True)
def test_two_admins_who_make_a_new_secret_at_once_both_hold_one_that_signs() -> None:
    cast = assemble()
    webhook(cast.tenant, "https://hooks.example.com/")
    admin = Actor(organization=cast.tenant, rights=frozenset(Right))
    start = Barrier(2)
    made: list[str] = []

    def rotate() -> None:
        with organization_scope(cast.tenant.pk):
            start.wait()
            made.append(webhook_settings.rotate(actor=admin, now=NOW))
        connection.close()

    admins = [Thread(target=rotate) for _ in range(2)]
    for each in admins:
        each.start()
    for each in admins:
        each.join()

    with organization_scope(cast.tenant.pk):
        row = Webhook.objects.get()
    assert row.former_secret is not None
    assert {unseal(sealed=row.secret), unseal(sealed=row.former_secret)} == set(made)
