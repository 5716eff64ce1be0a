"""Notifications by REST: a person's preferences, the webhook, the log, sending again, tests."""

import pytest
from django.utils import timezone

from apps.incidents.models import Incident
from apps.notifications.delivery.outbox import LEASE
from apps.notifications.models import Delivery, Webhook
from apps.notifications.occasions.incident_changes import look
from apps.tenancy.credentials import unseal
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from tests.apps.notifications.revised_incidents import NOW
from tests.cast.clients import Asking, member
from tests.cast.incidents import Cast

HOOK = {"url": "https://hooks.example.com/x", "kinds": ["incident.opened"]}


@pytest.fixture
def admin(cast: Cast) -> Asking:
    """An admin of the tenant."""
    return member(cast.tenant, MemberRole.ADMIN)


def test_preferences_are_the_defaults_until_they_are_chosen(cast: Cast, admin: Asking) -> None:
    first = admin.get("notifications/preferences/").json()
    wish = {
        "kinds": ["incident.opened"],
        "minimum": "likely",
        "clusters": [cast.cluster.slug],
        "rhythm": "hourly",
        "zone": "Asia/Seoul",
        "quiet_from": "22:00",
        "quiet_until": "07:00",
        "at_night": ["incident.assigned"],
    }
    kept = admin.send("PUT", "notifications/preferences/", wish)

    assert len(first["kinds"]) == 7
    assert (kept.status_code, kept.json()) == (200, wish)
    assert admin.get("notifications/preferences/").json() == wish
    assert member(cast.tenant).get("notifications/preferences/").json() == first


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({"kinds": ["pigeon"]}, 400),
        ({"zone": "Mars"}, 400),
        ({"quiet_from": "22:00"}, 400),
        ({"quiet_from": "25:00", "quiet_until": "07:00"}, 400),
        ({"minimum": "x"}, 400),
        ({"clusters": ["absent"]}, 404),
    ],
)
def test_preferences_that_can_not_be_meant_are_refused_whole(
    admin: Asking, wrong: dict[str, object], status: int
) -> None:
    before = admin.get("notifications/preferences/").json()

    assert (
        admin.send("PUT", "notifications/preferences/", {"kinds": []} | wrong).status_code == status
    )
    assert admin.get("notifications/preferences/").json() == before


def test_a_webhook_is_made_changed_and_removed_and_its_secret_shown_once(
    cast: Cast, admin: Asking
) -> None:
    assert admin.get("notifications/webhook/").status_code == 404
    made = admin.send("PUT", "notifications/webhook/", HOOK)
    changed = admin.send("PUT", "notifications/webhook/", HOOK | {"is_enabled": False})
    rotated = admin.post("notifications/webhook/rotate/")
    with organization_scope(cast.tenant.pk):
        row = Webhook.objects.get()

    assert (made.status_code, changed.status_code, rotated.status_code) == (201, 200, 200)
    assert made.json()["secret"].startswith("whsec_")
    assert "secret" not in changed.json()
    assert unseal(sealed=row.secret) == rotated.json()["secret"] != made.json()["secret"]
    assert admin.get("notifications/webhook/").json()["is_enabled"] is False
    assert admin.post("notifications/webhook/resume/").status_code == 200
    assert admin.send("DELETE", "notifications/webhook/").status_code == 204
    assert admin.send("DELETE", "notifications/webhook/").status_code == 404


def test_an_address_inside_is_refused_in_words(admin: Asking) -> None:
    answer = admin.send("PUT", "notifications/webhook/", HOOK | {"url": "https://127.0.0.1/"})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "url"
    assert admin.get("notifications/webhook/").status_code == 404


def test_the_log_is_read_and_sent_again(cast: Cast, admin: Asking, incident: Incident) -> None:
    admin.send("PUT", "notifications/webhook/", HOOK)
    look(organization_id=cast.tenant.pk, now=NOW)
    with organization_scope(cast.tenant.pk):
        Delivery.objects.update(state="failed", attempt_count=14)
    (listed,) = admin.get("notifications/deliveries/").json()["results"]
    there = f"notifications/deliveries/{listed['id']}/"

    assert (listed["incident"], listed["state"], listed["to"]) == (
        incident.public_id,
        "failed",
        None,
    )
    assert admin.get(there).json()["tries"] == []
    assert admin.post("notifications/replay-failed/").json() == {"count": 1}
    assert admin.post("notifications/replay-failed/").json() == {"count": 0}
    assert admin.post(f"{there}replay/").status_code == 202
    with organization_scope(cast.tenant.pk):
        row = Delivery.objects.get()
        assert (row.state, row.public_id) == ("waiting", listed["id"])
        held_until = timezone.now() + LEASE.lasts  # noqa: TID251  the interface reads the clock
        Delivery.objects.update(claimed_until=held_until)
    assert admin.post(f"{there}replay/").json()["code"] == "being_sent"
    for asking in (member(cast.tenant), member(cast.operator, MemberRole.ADMIN)):
        assert asking.get(there).status_code == 404
        assert asking.post(f"{there}replay/").status_code == 404
        assert asking.get("notifications/deliveries/").json()["results"] == []


def test_a_test_is_sent_once_a_minute(cast: Cast, admin: Asking) -> None:
    admin.send("PUT", "notifications/webhook/", HOOK)
    answers = [admin.post("notifications/test/", {"channel": "webhook"}) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [202, 409]
    assert admin.post("notifications/test/", {"channel": "email"}).json()["code"] == "not_confirmed"
    assert admin.post("notifications/test/", {"channel": "pigeon"}).status_code == 400
    assert (
        member(cast.tenant).post("notifications/test/", {"channel": "webhook"}).status_code == 404
    )
