"""Who is mentioned in an annotation is told: once, where it is wanted, and none of its words."""

from datetime import timedelta
from typing import Any

from apps.incidents.annotations import annotate, revise
from apps.incidents.entries import Audience, Note
from apps.incidents.models import Annotation, Incident
from apps.notifications.models import Delivery, Notification, Subscription
from apps.notifications.notification_kinds import NotificationKind
from apps.notifications.occasions import incident_changes
from apps.notifications.occasions.mentions import has_mentions
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.notifications.email.sent_emails import send
from tests.apps.notifications.receiving import mail_server, person
from tests.cast import make
from tests.cast.incidents import Cast, actor

NOW = make.AT + timedelta(minutes=5)
WORDS = "gpt-secret-run"


def _write(incident: Incident, author: Organization, text: str, *readers: Organization) -> None:
    with organization_scope(author.pk):
        annotate(
            actor=actor(author),
            incident=incident,
            note=Note(text=f"{text} {WORDS}"),
            audience=Audience(organizations=tuple(each.slug for each in readers)),
            now=NOW,
        )


def _told(organization: Organization) -> list[str]:
    """Look for news, and return who gets a letter of a mention."""
    incident_changes.look(organization_id=organization.pk, now=NOW)
    with organization_scope(organization.pk):
        assert not has_mentions(organization=organization, now=NOW)
        rows = Delivery.objects.filter(notice__kind=NotificationKind.MENTIONED)
        return sorted(rows.values_list("user__username", flat=True))


def test_a_party_that_is_mentioned_is_told_and_reads_none_of_the_words(
    cast: Cast, incident: Incident, settings: Any
) -> None:
    person(cast.operator, "olga")
    person(cast.operator, "viewer", MemberRole.VIEWER)
    person(cast.vendor, "vera")
    with mail_server(settings) as box:
        _write(incident, cast.tenant, f"@{cast.operator.slug}", cast.operator, cast.vendor)
        assert _told(cast.operator) == ["olga"]
        assert _told(cast.operator) == ["olga"]  # once
        assert _told(cast.vendor) == []
        send(NOW)
    words = "".join(str(each.get_body(("plain",))) for each in box.letters)
    assert f"{incident.public_id}/#NOTE-" in words.replace("=\n", "")
    assert all(WORDS not in str(each) for each in box.letters)
    with organization_scope(cast.operator.pk):
        notice = Notification.objects.get(kind=NotificationKind.MENTIONED)
    assert incident.public_id in notice.body["title"]
    assert cast.tenant.name in notice.body["title"]
    assert WORDS not in str(notice.body)


def test_a_person_that_is_mentioned_is_told_alone(
    cast: Cast, incident: Incident, settings: Any
) -> None:
    person(cast.tenant, "tom")
    person(cast.tenant, "tina")
    with mail_server(settings):
        _write(incident, cast.tenant, "@tina", cast.operator)
        assert _told(cast.tenant) == ["tina"]
        assert _told(cast.operator) == []


def test_who_does_not_want_to_hear_of_mentions_hears_of_none(
    cast: Cast, incident: Incident, settings: Any
) -> None:
    tina = person(cast.tenant, "tina")
    with organization_scope(cast.tenant.pk):
        Subscription.objects.create(
            organization=cast.tenant, user=tina, kinds=["incident.opened"], changed_at=NOW
        )
    with mail_server(settings):
        _write(incident, cast.tenant, "@tina")
        assert _told(cast.tenant) == []


def test_an_edit_tells_those_alone_who_were_not_mentioned_before(
    cast: Cast, incident: Incident, settings: Any
) -> None:
    person(cast.tenant, "tom")
    person(cast.tenant, "tina")
    with mail_server(settings):
        _write(incident, cast.tenant, "@tina")
        assert _told(cast.tenant) == ["tina"]
        with organization_scope(cast.tenant.pk):
            former = Annotation.objects.select_related("incident").get()
            revise(actor=actor(cast.tenant), former=former, note=Note(text="@tina @tom"), now=NOW)
        assert _told(cast.tenant) == ["tina", "tom"]


def test_what_was_mentioned_long_ago_is_no_news(
    cast: Cast, incident: Incident, settings: Any
) -> None:
    person(cast.tenant, "tina")
    _write(incident, cast.tenant, "@tina")
    late = NOW + timedelta(days=2)
    with mail_server(settings):
        incident_changes.look(organization_id=cast.tenant.pk, now=late)
    with organization_scope(cast.tenant.pk):
        assert not Notification.objects.filter(kind=NotificationKind.MENTIONED).exists()
