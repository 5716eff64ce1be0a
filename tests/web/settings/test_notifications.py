"""The tab where one says what to be told of, the webhook, and the log of deliveries."""

import html
import re
from datetime import time, timedelta
from typing import Any

import pytest
from django.test import Client

from apps.diagnosis.model import statement, statement_json
from apps.incidents.models import Incident
from apps.notifications.models import Delivery, Notification, Subscription, Webhook
from apps.notifications.occasions.incident_changes import look
from apps.tenancy.credentials import seal, unseal
from apps.tenancy.models import AuditEntry, MemberRole, Membership, Organization, User
from apps.tenancy.scope import organization_scope
from tests.apps.notifications.revised_incidents import NOW
from tests.cast import make
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.markup import one_line

SECRET = re.compile(r"whsec_[A-Za-z0-9+/]{43}=")
HOOK = {"url": "https://hooks.example.com/x", "kind": ["incident.opened"], "minimum": "any"}
LETTERS = {"kind": ["incident.opened"], "minimum": "likely", "rhythm": "hourly", "zone": "UTC"}


def tab(organization: Organization) -> str:
    """Return the address of the tab."""
    return f"/o/{organization.slug}/settings/notifications/"


def hook_of(organization: Organization) -> Webhook:
    """Return the webhook as it is kept."""
    with organization_scope(organization.pk):
        return Webhook.objects.get()


def made(client: Client, organization: Organization) -> str:
    """Make a webhook and return its secret."""
    answer = client.post(f"{tab(organization)}webhook/", HOOK | {"is_enabled": "1"})
    assert answer.status_code == 201
    assert "no-store" in answer["Cache-Control"]
    (secret,) = SECRET.findall(html.unescape(answer.content.decode()))
    return str(secret)


def test_what_one_chooses_is_kept_and_shown(cast: Cast, browser: Browser) -> None:
    client = browser(cast.tenant, MemberRole.VIEWER)
    quiet = {"quiet_from": "22:00", "quiet_until": "07:00", "at_night": ["incident.opened"]}
    answer = client.post(tab(cast.tenant), LETTERS | quiet | {"zone": "Asia/Seoul"}, follow=True)
    page = one_line(answer.content.decode())
    with organization_scope(cast.tenant.pk):
        row = Subscription.objects.get()

    assert answer.status_code == 200
    assert (row.minimum, row.rhythm, row.quiet_from) == ("likely", "hourly", time(22))
    assert 'value="22:00"' in page
    assert 'value="Asia/Seoul"' in page
    assert page.count('value="incident.opened" checked') == 2


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"zone": "Mars"}, "Write a zone like Asia/Seoul"),
        ({"zone": "KST"}, "did you mean `Asia/Seoul`?"),
        ({"quiet_from": "22:00"}, "Say from when and until when"),
        ({"minimum": "x"}, "Choose one of these"),
    ],
)
def test_what_can_not_be_meant_is_said_at_its_field_and_nothing_kept(
    cast: Cast, browser: Browser, wrong: dict[str, str], says: str
) -> None:
    answer = browser(cast.tenant).post(tab(cast.tenant), LETTERS | wrong)

    assert answer.status_code == 422
    assert says in answer.content.decode()
    with organization_scope(cast.tenant.pk):
        assert Subscription.objects.count() == 0


def test_a_portal_without_a_mail_server_says_so(cast: Cast, browser: Browser) -> None:
    page = browser(cast.tenant).get(tab(cast.tenant)).content.decode()
    assert "it has no mail server" in page


def test_the_secret_is_shown_once_and_never_again(cast: Cast, browser: Browser) -> None:
    client = browser(cast.tenant, MemberRole.ADMIN)
    secret = made(client, cast.tenant)
    again = client.get(tab(cast.tenant)).content.decode()

    assert unseal(sealed=hook_of(cast.tenant).secret) == secret
    assert SECRET.findall(html.unescape(again)) == []
    rotated = client.post(f"{tab(cast.tenant)}webhook/rotate/").content.decode()
    (second,) = SECRET.findall(html.unescape(rotated))
    assert second != secret
    assert "the former one signs beside it" in rotated
    with organization_scope(cast.tenant.pk):
        acts = set(AuditEntry.objects.values_list("action", flat=True))
        assert secret not in str(list(AuditEntry.objects.values()))
    assert {"webhook.made", "webhook.rotated"} <= acts


def test_an_address_that_leads_inside_is_refused_in_words(cast: Cast, browser: Browser) -> None:
    client = browser(cast.tenant, MemberRole.ADMIN)
    answer = client.post(f"{tab(cast.tenant)}webhook/", HOOK | {"url": "https://127.0.0.1/"})

    assert answer.status_code == 422
    assert "the address is not public" in answer.content.decode()
    with organization_scope(cast.tenant.pk):
        assert not Webhook.objects.exists()


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_who_is_no_admin_neither_sees_nor_touches_the_webhook(
    cast: Cast, browser: Browser, role: MemberRole
) -> None:
    made(browser(cast.tenant, MemberRole.ADMIN), cast.tenant)
    client = browser(cast.tenant, role)
    page = client.get(tab(cast.tenant)).content.decode()

    assert "hooks.example.com" not in page
    assert client.post(f"{tab(cast.tenant)}webhook/", HOOK).status_code == 404
    for act in ("rotate", "resume", "remove", "nonsense"):
        assert client.post(f"{tab(cast.tenant)}webhook/{act}/").status_code == 404
    assert client.post(f"{tab(cast.tenant)}test/", {"channel": "webhook"}).status_code == 404
    assert hook_of(cast.tenant).url == HOOK["url"]


def test_a_test_takes_the_usual_way_and_one_at_a_time(cast: Cast, browser: Browser) -> None:
    client = browser(cast.tenant, MemberRole.ADMIN)
    User.objects.update(email="a@example.com", confirmed_email="a@example.com")
    made(client, cast.tenant)
    for _ in range(2):
        client.post(f"{tab(cast.tenant)}test/", {"channel": "webhook"})
    client.post(f"{tab(cast.tenant)}test/", {"channel": "email"})
    with organization_scope(cast.tenant.pk):
        assert sorted(Delivery.objects.values_list("channel", flat=True)) == ["email", "webhook"]
    assert client.post(f"{tab(cast.tenant)}test/", {"channel": "pigeon"}).status_code == 404


def test_the_log_tells_what_went_where_and_sends_it_again(
    cast: Cast, browser: Browser, incident: Incident
) -> None:
    client = browser(cast.tenant, MemberRole.ADMIN)
    made(client, cast.tenant)
    look(organization_id=cast.tenant.pk, now=NOW)
    with organization_scope(cast.tenant.pk):
        delivery = Delivery.objects.get()
        Delivery.objects.update(state="failed", attempt_count=14)
    page = client.get(tab(cast.tenant)).content.decode()

    assert incident.public_id in page
    assert "given up, 14 tries" in page
    assert "1 delivery was given up." in page
    assert (
        client.post(f"{tab(cast.tenant)}deliveries/{delivery.public_id}/again/").status_code == 302
    )
    with organization_scope(cast.tenant.pk):
        again = Delivery.objects.get()
        Delivery.objects.update(state="failed")
    assert (again.state, again.attempt_count, again.public_id) == ("waiting", 0, delivery.public_id)
    assert client.post(f"{tab(cast.tenant)}again/").status_code == 302
    with organization_scope(cast.tenant.pk):
        assert Delivery.objects.get().state == "waiting"
        assert Notification.objects.count() == 1


@pytest.mark.parametrize(
    ("hook", "says"),
    [
        ({"rests_until": NOW + timedelta(minutes=7, seconds=7)}, "02:08:07"),
        ({"rests_until": NOW - timedelta(minutes=5)}, "02:01:00"),
        ({"pause": {"kind": "webhook-gone", "values": {}}}, "–"),  # noqa: RUF001  nothing
    ],
)
def test_the_next_try_of_a_message_waits_for_the_turn_of_its_address(
    cast: Cast, browser: Browser, incident: Incident, hook: dict[str, Any], says: str
) -> None:
    client = browser(cast.tenant, MemberRole.ADMIN)
    made(client, cast.tenant)
    look(organization_id=cast.tenant.pk, now=NOW)
    with organization_scope(cast.tenant.pk):
        Delivery.objects.update(due_at=NOW)
        Webhook.objects.update(**hook)
    page = one_line(client.get(tab(cast.tenant)).content.decode())

    assert re.search(rf'"Next try \(UTC\)">[^<]*{says}</td>', page)


@pytest.mark.parametrize("path", ["webhook/", "webhook/rotate/", "test/", "again/"])
def test_an_address_that_a_form_left_behind_leads_to_the_tab(
    cast: Cast, browser: Browser, path: str
) -> None:
    client = browser(cast.tenant, MemberRole.ADMIN)
    made(client, cast.tenant)
    before = hook_of(cast.tenant).secret
    answer = client.get(f"{tab(cast.tenant)}{path}", follow=True)

    assert answer.redirect_chain == [(tab(cast.tenant), 302)]
    assert SECRET.findall(html.unescape(answer.content.decode())) == []
    assert hook_of(cast.tenant).secret == before


def test_members_see_their_own_letters_alone(
    cast: Cast, browser: Browser, incident: Incident, settings: Any
) -> None:
    settings.PORTAL_SMTP = {"host": "127.0.0.1"}
    clients = [browser(cast.tenant), browser(cast.tenant)]
    with organization_scope(cast.tenant.pk):
        for member in Membership.objects.select_related("user"):
            email = f"{member.user.username}@example.com"
            member.user.email = member.user.confirmed_email = email
            member.user.save()
    look(organization_id=cast.tenant.pk, now=NOW)
    with organization_scope(cast.tenant.pk):
        one, other = Delivery.objects.order_by("user_id")
    pages = [client.get(tab(cast.tenant)).content.decode() for client in clients]

    assert [one.public_id in page for page in pages] == [True, False]
    assert [other.public_id in page for page in pages] == [False, True]
    foreign = f"{tab(cast.tenant)}deliveries/{other.public_id}/again/"
    assert clients[0].post(foreign).status_code == 404
    assert browser(cast.stranger, MemberRole.ADMIN).get(tab(cast.tenant)).status_code == 404


def test_without_the_mark_of_the_form_nothing_is_changed(cast: Cast, browser: Browser) -> None:
    client = browser(cast.tenant, MemberRole.ADMIN, strict=True)
    assert client.post(f"{tab(cast.tenant)}webhook/", HOOK).status_code == 403
    assert client.post(tab(cast.tenant), LETTERS).status_code == 403


def test_how_a_webhook_failed_is_said_in_the_readers_language(cast: Cast, browser: Browser) -> None:
    client = browser(cast.tenant, MemberRole.ADMIN)
    told = statement("answered", status=302, answer=statement("redirect-not-followed"))
    with organization_scope(cast.tenant.pk):
        Webhook.objects.create(
            organization=cast.tenant,
            url="https://hooks.example/x",
            kinds=["incident.opened"],
            secret=seal(secret="whsec_x"),  # noqa: S106  opens nothing
            failing_since=make.AT,
            failure=statement_json(told),
            created_at=make.AT,
        )

    english = client.get(tab(cast.tenant)).content.decode()
    korean = client.get(tab(cast.tenant), headers={"accept-language": "ko"}).content.decode()

    assert "HTTP 302 redirects are not followed" in english
    assert "HTTP 302 리디렉션" in korean
    rest = client.get(f"/api/v1/o/{cast.tenant.slug}/notifications/webhook/").json()
    assert rest["last_error"] == "HTTP 302 redirects are not followed"
    assert rest["failure"] == statement_json(told)
