"""Messages to a real receiver: signed, tried again, never lost, never sent inside."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from time import monotonic
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from standardwebhooks import Webhook as Verifier

from apps.diagnosis.model import statement_of
from apps.notifications.delivery import outbox
from apps.notifications.models import Delivery, DeliveryAttempt, Webhook
from apps.notifications.occasions.incident_changes import look
from apps.notifications.webhook import signing, webhook_delivery
from apps.tenancy.credentials import seal
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from apps.wording import in_english
from tests.apps.notifications.email.sent_emails import send
from tests.apps.notifications.receiving import Receiver, mail_server, person, receiver, webhook
from tests.apps.notifications.revised_incidents import NOW
from tests.apps.notifications.webhook.webhook_deliveries import deliveries
from tests.cast.incidents import Cast, attempt_of, stop_of


@pytest.fixture
def there() -> Iterator[Receiver]:
    """A receiver that takes everything."""
    with receiver() as made:
        yield made


def said(failure: dict[str, Any] | None) -> str:
    """Return a stored failure in English."""
    return in_english(statement_of(failure or {}))


def post(who: Organization, at: datetime = NOW) -> outbox.SendingTurn:
    """Take one turn."""
    return webhook_delivery.take_turn(organization_id=who.pk, clock=monotonic, now=lambda: at)


def why_paused(cast: Cast) -> str:
    """Return why the tenant's webhook was given up."""
    return in_english(statement_of(hook_of(cast.tenant).pause or {}))


def hook_of(who: Organization) -> Webhook:
    """Return the webhook as it stands."""
    with organization_scope(who.pk):
        return Webhook.objects.for_organization(who).get()


def a_stop(cast: Cast, who: Organization, at: datetime = NOW) -> None:
    """Let a session stop, and look."""
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=who.pk, now=at)


def test_the_reference_library_verifies_what_is_sent(cast: Cast, there: Receiver) -> None:
    secret = webhook(cast.tenant, there.url)
    now = datetime.now(UTC)  # noqa: TID251  the library looks at the clock
    a_stop(cast, cast.tenant)
    assert post(cast.tenant, now).sent_count == 1
    (arrived,) = there.arrived
    told = Verifier(secret).verify(arrived.body, arrived.headers)
    assert told["type"] == "incident.opened"
    assert told["data"]["organization"] == cast.tenant.slug
    assert told["data"]["simulated"] is False
    assert told["data"]["incident"]["cause"] == "gpu-off-bus"
    assert told["data"]["incident"]["url"].startswith("http")
    assert b"WORDS" not in arrived.body
    assert post(cast.tenant, now).sent_count == 0


def test_both_secrets_sign_for_a_while_after_a_rotation(cast: Cast, there: Receiver) -> None:
    former = webhook(cast.tenant, there.url)
    secret, now = signing.new_secret(), datetime.now(UTC)  # noqa: TID251  as above
    with organization_scope(cast.tenant.pk):
        own = Webhook.objects.for_organization(cast.tenant)
        own.update(
            secret=seal(secret=secret),
            former_secret=seal(secret=former),
            former_until=now + timedelta(hours=1),
        )
    a_stop(cast, cast.tenant)
    post(cast.tenant, now)
    (arrived,) = there.arrived
    for each in (former, secret):
        Verifier(each).verify(arrived.body, arrived.headers)
    assert len(webhook_delivery.secrets_of(hook_of(cast.tenant), now + timedelta(hours=2))) == 1


def test_a_receiver_that_answers_500_for_a_day_gets_everything_after(
    cast: Cast, there: Receiver
) -> None:
    webhook(cast.tenant, there.url)
    there.usual = 500
    for hour in range(24):
        if hour % 6 == 0:
            a_stop(cast, cast.tenant, NOW)
        for minute in range(0, 60, 5):
            post(cast.tenant, NOW + timedelta(hours=hour, minutes=minute))
    tried = len(there.arrived)
    assert {each.state for each in deliveries(cast.tenant)} == {"waiting"}
    assert tried < 120
    there.usual = 200
    at = NOW + timedelta(hours=24)
    for minute in range(30):
        post(cast.tenant, at + timedelta(minutes=minute))
    assert [each.state for each in deliveries(cast.tenant)] == ["sent"] * 4
    ids = {arrived.headers["webhook-id"] for arrived in there.arrived}
    assert ids == {each.public_id for each in deliveries(cast.tenant)}
    assert hook_of(cast.tenant).failing_since is None


def test_admins_are_written_to_when_it_fails_for_an_hour_and_when_it_is_paused(
    cast: Cast, there: Receiver, settings: Any
) -> None:
    webhook(cast.tenant, there.url)
    person(cast.tenant, "ann", MemberRole.ADMIN)
    there.usual = 500
    with mail_server(settings) as box:
        a_stop(cast, cast.tenant)
        for hour in range(0, 24 * 6, 2):
            # Something is always fresh enough to be tried.
            with organization_scope(cast.tenant.pk):
                Delivery.objects.update(waits_since=NOW + timedelta(hours=hour))
            post(cast.tenant, NOW + timedelta(hours=hour))
            send(NOW + timedelta(hours=hour))
    subjects = [subject for subject in box.subjects if subject.startswith("Webhook")]
    assert len(subjects) == 2
    assert "for an hour" in subjects[0]
    assert "paused" in subjects[1]
    assert why_paused(cast).startswith("It failed for five days: ")
    assert not webhook_delivery.is_due(organization_id=cast.tenant.pk, now=NOW + timedelta(days=9))


def test_one_that_says_it_is_gone_is_paused_at_once(cast: Cast, there: Receiver) -> None:
    webhook(cast.tenant, there.url)
    there.answers = [(410, {})]
    a_stop(cast, cast.tenant)
    post(cast.tenant)
    assert "410" in why_paused(cast)
    assert [each.state for each in deliveries(cast.tenant)] == ["waiting"]


def test_a_message_that_is_refused_holds_up_no_other(cast: Cast, there: Receiver) -> None:
    webhook(cast.operator, there.url)
    there.answers = [(422, {})]
    a_stop(cast, cast.operator)
    turn = post(cast.operator)
    assert (turn.sent_count, turn.failed_count) == (1, 1)
    assert sorted(each.state for each in deliveries(cast.operator)) == ["sent", "waiting"]
    assert hook_of(cast.operator).failing_since is None


def test_the_receiver_may_say_when_to_come_again(cast: Cast, there: Receiver) -> None:
    webhook(cast.tenant, there.url)
    there.answers = [(429, {"Retry-After": "7200"})]
    a_stop(cast, cast.tenant)
    post(cast.tenant)
    (waiting,) = deliveries(cast.tenant)
    assert waiting.due_at == NOW + timedelta(hours=2)


@pytest.mark.parametrize("words", ["soon", "-1", "Wed, 99 Nov 2026", "9" * 30, "²"])
def test_nonsense_about_when_to_come_again_is_not_heard(
    cast: Cast, there: Receiver, words: str
) -> None:
    webhook(cast.tenant, there.url)
    there.answers = [(503, {"Retry-After": words.encode().decode("latin-1")})]
    a_stop(cast, cast.tenant)
    post(cast.tenant)
    (waiting,) = deliveries(cast.tenant)
    assert waiting.due_at <= NOW + webhook_delivery.LONGEST_WISH


def test_words_of_a_receiver_that_can_not_be_kept_hold_nothing_up(
    cast: Cast, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BaseHTTPRequestHandler.responses, HTTPStatus(500), ("no\0way", ""))
    webhook(cast.tenant, there.url)
    there.answers = [(500, {})]
    a_stop(cast, cast.tenant)

    assert post(cast.tenant).failed_count >= 1
    assert said(hook_of(cast.tenant).failure) == "HTTP 500 no way"
    assert post(cast.tenant, NOW + timedelta(days=1)).sent_count >= 1


def test_redirects_lead_nowhere(cast: Cast, there: Receiver) -> None:
    webhook(cast.tenant, there.url)
    there.answers = [(307, {"Location": there.url})]
    a_stop(cast, cast.tenant)
    post(cast.tenant)
    assert len(there.arrived) == 1
    with organization_scope(cast.tenant.pk):
        assert said(DeliveryAttempt.objects.get().failure) == "redirects are not followed"


@pytest.mark.parametrize("networks", [[], ["10.0.0.0/8"]])
def test_the_machine_of_the_portal_is_not_reached(
    cast: Cast, there: Receiver, networks: list[str]
) -> None:
    webhook(cast.tenant, there.url, allowed_networks=networks)
    a_stop(cast, cast.tenant)
    post(cast.tenant)
    assert there.arrived == []
    with organization_scope(cast.tenant.pk):
        assert "not public" in said(DeliveryAttempt.objects.get().failure)


def test_a_worker_that_dies_between_sending_and_marking_sends_the_same_id_again(
    cast: Cast, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook(cast.tenant, there.url)
    a_stop(cast, cast.tenant)
    with monkeypatch.context() as dying:
        dying.setattr(webhook_delivery, "_note", _die)
        with pytest.raises(KeyboardInterrupt):
            post(cast.tenant)
    post(cast.tenant, NOW + outbox.LEASE.lasts)
    ids = [arrived.headers["webhook-id"] for arrived in there.arrived]
    assert len(ids) == 2
    assert len(set(ids)) == 1
    assert there.arrived[0].body == there.arrived[1].body
    assert [each.state for each in deliveries(cast.tenant)] == ["sent"]


def _die(**_: Any) -> None:
    raise KeyboardInterrupt


def test_a_receiver_that_outlasts_the_turn_rests_like_one_that_is_away(
    cast: Cast, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook(cast.tenant, there.url)
    a_stop(cast, cast.tenant)
    with monkeypatch.context() as trickling:
        trickling.setattr(webhook_delivery, "_send", _outlasts)
        assert post(cast.tenant).failed_count == 1
    assert (hook_of(cast.tenant).rests_until or NOW) > NOW
    assert "longer than a turn" in said(hook_of(cast.tenant).failure)
    assert post(cast.tenant, NOW + timedelta(minutes=1)).sent_count == 1


def _outlasts(**_: Any) -> None:
    raise SoftTimeLimitExceeded


def test_one_turn_at_a_time(cast: Cast, there: Receiver) -> None:
    webhook(cast.tenant, there.url)
    a_stop(cast, cast.tenant)
    with organization_scope(cast.tenant.pk):
        Webhook.objects.for_organization(cast.tenant).update(
            claimed_until=NOW + webhook_delivery.LEASE.lasts
        )
    assert post(cast.tenant) == outbox.SendingTurn()
    assert post(cast.tenant, NOW + webhook_delivery.LEASE.lasts).sent_count == 1


def test_what_is_given_up_stays_to_be_sent_again(cast: Cast, there: Receiver) -> None:
    webhook(cast.tenant, there.url)
    there.usual = 422
    a_stop(cast, cast.tenant)
    at = NOW
    for pause in (*outbox.PAUSES, timedelta()):
        post(cast.tenant, at)
        at += pause
    assert [each.state for each in deliveries(cast.tenant)] == ["failed"]
    with organization_scope(cast.tenant.pk):
        outbox.again(deliveries=Delivery.objects.all(), now=at)
    there.usual = 200
    post(cast.tenant, at)
    assert [each.state for each in deliveries(cast.tenant)] == ["sent"]
    assert len({arrived.headers["webhook-id"] for arrived in there.arrived}) == 1


def test_a_machine_is_told_of_each_kind_apart(cast: Cast, there: Receiver) -> None:
    webhook(cast.vendor, there.url)
    a_stop(cast, cast.vendor)
    post(cast.vendor)
    kinds = [json.loads(arrived.body)["type"] for arrived in there.arrived]
    assert kinds == ["incident.opened", "incident.assigned"]
