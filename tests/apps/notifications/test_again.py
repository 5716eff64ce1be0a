"""Sending by hand: what is on the wire goes once, tests have a pause, and nights are kept."""

import socket
from datetime import datetime, time, timedelta
from typing import Any

import pytest

from apps.notifications.delivery import delivery_log, outbox
from apps.notifications.delivery.delivery_log import BeingSent, StillWaiting, TooSoon
from apps.notifications.models import Delivery
from apps.notifications.notification_kinds import Channel
from apps.notifications.occasions.incident_changes import look
from apps.notifications.webhook import webhook_delivery
from apps.tenancy.access import Actor, actor_for_user
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.notifications.email.sent_emails import send, states
from tests.apps.notifications.receiving import (
    mail_server,
    person,
    plain,
    receiver,
    subscription,
    webhook,
)
from tests.apps.notifications.revised_incidents import NOW
from tests.cast.incidents import Cast, attempt_of, stop_of

EVENING = NOW.replace(hour=21, minute=50)
NIGHT = EVENING + timedelta(hours=4)
MORNING = (EVENING + timedelta(days=1)).replace(hour=7, minute=0)


def admin(organization: Organization) -> Actor:
    """Return somebody who manages it and can be written to."""
    user = person(organization, f"admin-of-{organization.slug}", MemberRole.ADMIN)
    return actor_for_user(user=user, slug=organization.slug)


def test_what_is_on_the_wire_is_not_sent_twice(cast: Cast) -> None:
    actor = admin(cast.tenant)
    with receiver() as server:
        webhook(cast.tenant, server.url)
        stop_of(cast, attempt_of(cast, cast.tenant))
        look(organization_id=cast.tenant.pk, now=NOW)
        with organization_scope(cast.tenant.pk):
            held = outbox.claim_post(organization_id=cast.tenant.pk, now=NOW)
            assert held is not None
            with pytest.raises(BeingSent):
                delivery_log.send_again(actor=actor, public_id=held.public_id, now=NOW)
        _turn(cast.tenant)
        assert server.arrived == []
        with organization_scope(cast.tenant.pk):
            outbox.note(deliveries=[held], outcome=outbox.Outcome(is_success=True), now=NOW)
            delivery_log.send_again(actor=actor, public_id=held.public_id, now=NOW)
        _turn(cast.tenant)
        assert [each.headers["webhook-id"] for each in server.arrived] == [held.public_id]


def test_what_a_dead_worker_held_can_be_sent_again(cast: Cast) -> None:
    actor = admin(cast.tenant)
    webhook(cast.tenant, "http://127.0.0.1:9/")
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.tenant.pk, now=NOW)
    later = NOW + outbox.LEASE.lasts
    with organization_scope(cast.tenant.pk):
        held = outbox.claim_post(organization_id=cast.tenant.pk, now=NOW)
        assert held is not None
        delivery_log.send_again(actor=actor, public_id=held.public_id, now=later)
        assert Delivery.objects.get().claimed_until is None


def _turn(organization: Organization) -> None:
    webhook_delivery.take_turn(organization_id=organization.pk, clock=lambda: 0.0, now=lambda: NOW)


@pytest.mark.parametrize("channel", Channel)
def test_a_test_is_followed_by_a_pause_of_its_target_alone(cast: Cast, channel: Channel) -> None:
    actor, other = admin(cast.tenant), admin(cast.operator)
    _test(actor, channel, NOW)
    with pytest.raises(StillWaiting):
        _test(actor, channel, NOW)
    with organization_scope(cast.tenant.pk):
        Delivery.objects.update(state="sent")
    with pytest.raises(TooSoon):
        _test(actor, channel, NOW + delivery_log.TEST_PAUSE - timedelta(seconds=1))
    _test(other, channel, NOW)
    _test(actor, next(each for each in Channel if each != channel), NOW)
    _test(actor, channel, NOW + delivery_log.TEST_PAUSE)


def _test(actor: Actor, channel: Channel, at: datetime) -> None:
    with organization_scope(actor.organization.pk):
        delivery_log.send_test(actor=actor, channel=channel, now=at)


@pytest.mark.parametrize(("at_night", "at_once"), [([], 0), (["incident.opened"], 1)])
def test_a_letter_that_a_server_held_up_until_the_night_waits_for_the_morning(
    cast: Cast, settings: Any, at_night: list[str], at_once: int
) -> None:
    quiet = {"quiet_from": time(22), "quiet_until": time(7)}
    subscription(cast.tenant, person(cast.tenant, "ann"), at_night=at_night, **quiet)
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    with organization_scope(*cast.ids):
        incident.detected_at = EVENING
        incident.save()
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        settings.PORTAL_SMTP = plain(nobody.getsockname()[1])
        look(organization_id=cast.tenant.pk, now=EVENING)
        assert send(EVENING).is_server_away
    with mail_server(settings) as box:
        send(NIGHT)
        assert len(box.letters) == at_once
        send(MORNING - timedelta(seconds=1))
        assert len(box.letters) == at_once
        send(MORNING)
        assert len(box.letters) == 1
    assert states(cast.tenant) == ["sent"]
