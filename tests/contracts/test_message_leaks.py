"""No e-mail and no webhook of any kind holds the words of another organization."""

from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import override_settings

from apps.notifications.email.emails import letter_of
from apps.notifications.fan_out import delivery
from apps.notifications.models import Notification
from apps.notifications.notification_kinds import Channel, NotificationKind
from apps.notifications.webhook.webhook_delivery import body_of
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.notifications.receiving import free_port, person, plain
from tests.cast import make
from tests.cast.standing import standing
from tests.contracts.canaries import Planted, plant
from tests.contracts.message_scene import tell_everything
from tests.contracts.shared_canaries import canary

pytestmark = pytest.mark.sweep
READERS = ("operator", "platform", "tenant", "other tenant", "vendor", "stranger")
LANGUAGES = ("en", "ko")
OF_A_STRANGER = {"part.offered", "test"}


def _sown() -> Planted:
    planted = plant()
    for name, organization in planted.everyone.items():
        person(organization, f"admin-of-{name.replace(' ', '-')}", MemberRole.ADMIN)
    # Some news is only for who can be written to.
    with override_settings(PORTAL_SMTP=plain(free_port())):
        tell_everything(planted)
    return planted


sown = standing(_sown)


def told(reader: Organization) -> list[Notification]:
    """Return everything that an organization was told. Needs its scope."""
    return list(Notification.objects.for_organization(reader).order_by("id"))


def messages(reader: Organization, notice: Notification) -> Iterator[tuple[str, str]]:
    """Yield each way in which a piece of news leaves the portal, and all of its words."""
    sent: dict[str, Any] = {"notice": notice, "due": make.AT, "now": make.AT}
    yield "webhook", body_of(delivery(channel=Channel.WEBHOOK, **sent)).decode()
    for language in LANGUAGES:
        user = person(reader, f"{language}-{notice.pk}", MemberRole.ADMIN)
        user.language = language
        letter = letter_of(
            deliveries=[delivery(channel=Channel.EMAIL, user=user, **sent)],
            user=user,
            zone=ZoneInfo("UTC"),
            now=make.AT,
        )
        html = [str(content) for content, _ in letter.alternatives]
        headers = [f"{name}: {value}" for name, value in letter.extra_headers.items()]
        yield f"subject in {language}", str(letter.subject)
        yield f"text in {language}", str(letter.body)
        yield f"HTML in {language}", "".join(html)
        yield f"headers in {language}", "\n".join([*headers, *letter.to, letter.from_email])


@pytest.mark.django_db
@pytest.mark.parametrize("reader", READERS)
def test_no_message_holds_words_of_others(reader: str, sown: Planted) -> None:
    organization = sown.everyone[reader]
    forbidden = sown.forbidden(organization)
    with organization_scope(organization.pk):
        met = {
            (notice.kind, way, word)
            for notice in told(organization)
            for way, text in messages(organization, notice)
            for word in forbidden
            if word in text
        }

    assert met == set()


@pytest.mark.django_db
def test_every_kind_is_told_to_whom_it_can_be(sown: Planted) -> None:
    # Else the test above would pass on a quiet portal.
    found = {}
    for name, organization in sown.everyone.items():
        with organization_scope(organization.pk):
            found[name] = {notice.kind for notice in told(organization)}

    assert found.pop("stranger") == OF_A_STRANGER
    everybody = frozenset[str].intersection(*map(frozenset, found.values()))
    assert everybody >= {
        *("incident.opened", "annotation.mentioned", "agreement.ending", "evidence.requested"),
        *("source.silent", "source.back", "webhook.failing", "test"),
    }
    assert frozenset[str]().union(*found.values()) == {str(each) for each in NotificationKind}


@pytest.mark.django_db
def test_a_message_may_hold_words_of_its_reader(sown: Planted) -> None:
    # Messages are rendered with words in them: a leak would be seen.
    organization = sown.cast.operator
    with organization_scope(organization.pk):
        met = {
            (notice.kind, way.partition(" ")[0], what)
            for notice in told(organization)
            for way, text in messages(organization, notice)
            for what in ("SOURCE", "VALUE", "EVIDENCE", "NOTE")
            if canary(organization, what) in text
        }

    ways = ("webhook", "subject", "text", "HTML")
    assert {("source.silent", way, "SOURCE") for way in ways} <= met
    assert {("webhook.failing", way, "VALUE") for way in ("webhook", "text", "HTML")} <= met
    assert {what for *_, what in met} == {"SOURCE", "VALUE"}  # evidence and notes are never told
