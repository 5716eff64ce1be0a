"""An agreement that waits, or that ends within a week, is told to those it concerns, once."""

from datetime import timedelta
from typing import Any

import pytest

from apps.notifications.models import Delivery, Notification, Subscription
from apps.notifications.notification_kinds import NotificationKind
from apps.notifications.occasions import incident_changes
from apps.notifications.occasions.agreement_notices import has_agreements
from apps.sharing import agreement_acts as acts
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.notifications.email.sent_emails import send
from tests.apps.notifications.receiving import mail_server, person
from tests.cast import make
from tests.cast.agreements import admin_of, agreed, proposed
from tests.cast.incidents import Cast

NOW = make.AT + timedelta(minutes=5)
KINDS = (NotificationKind.PROPOSED, NotificationKind.ENDING)
UNTIL = NOW + timedelta(days=30)
SOON = UNTIL - timedelta(days=7)


def told(organization: Organization, *, after: timedelta = timedelta(0)) -> list[str]:
    """Look for news some time later, and return the titles of all that was told so far."""
    now = NOW + after
    incident_changes.look(organization_id=organization.pk, now=now)
    with organization_scope(organization.pk):
        assert not has_agreements(organization=organization, now=now)
        rows = Notification.objects.filter(kind__in=KINDS).order_by("id")
        return [row.body["title"] for row in rows]


def test_who_is_asked_reads_who_proposes_and_nobody_else_is_told(cast: Cast, settings: Any) -> None:
    olga = person(cast.operator, "olga", MemberRole.ADMIN)
    tina = person(cast.tenant, "tina", MemberRole.ADMIN)
    person(cast.tenant, "viewer", MemberRole.VIEWER)
    with mail_server(settings) as box:
        made = proposed(cast.operator, cast.tenant, cast.cluster, preset="open-book", now=NOW)
        for _ in range(2):
            assert told(cast.tenant) == [
                f"{cast.operator.name} proposes an agreement in {cast.cluster.name}"
            ]
        assert told(cast.operator) == told(cast.vendor) == []
        send(NOW)
        (letter,) = box.letters

    assert tina.email in str(letter["To"])
    assert olga.email not in str(letter["To"])
    assert cast.operator.name in str(letter["Subject"])
    with organization_scope(cast.tenant.pk):
        notice = Notification.objects.get(kind=NotificationKind.PROPOSED)
    assert notice.body["url"].endswith(f"/sharing/agreements/{made.public_id}/")
    assert notice.body["agreement"] == {
        "id": made.public_id,
        "version": 1,
        "organization": cast.operator.slug,
        "cluster": cast.cluster.slug,
        "ends_at": None,
    }


def test_a_later_version_is_told_again_and_an_answered_one_no_more(cast: Cast) -> None:
    made = proposed(cast.operator, cast.tenant, cast.cluster, preset="open-book", now=NOW)
    assert len(told(cast.tenant)) == 1
    proposed(cast.operator, cast.tenant, cast.cluster, preset="closed", now=NOW)
    assert len(told(cast.tenant)) == 2

    proposed(cast.operator, cast.vendor, cast.cluster, preset="closed", now=NOW)
    by = admin_of(cast.operator, now=NOW)
    with organization_scope(cast.operator.pk):
        acts.take_back(actor=by.actor, agreement=made, number=2, context=by)
    assert len(told(cast.tenant)) == 2


def test_what_was_proposed_long_ago_is_no_news(cast: Cast) -> None:
    proposed(cast.operator, cast.tenant, cast.cluster, preset="open-book", now=NOW)

    assert told(cast.tenant, after=timedelta(days=2)) == []


@pytest.mark.parametrize("days", [0, 3])
def test_seven_days_before_its_end_both_sides_are_told_once(cast: Cast, days: int) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book", now=NOW, until=UNTIL)
    early = SOON - NOW - timedelta(seconds=1)
    late = SOON - NOW + timedelta(days=days)

    for side, other in ((cast.operator, cast.tenant), (cast.tenant, cast.operator)):
        assert told(side, after=early) == []
        for _ in range(2):
            assert told(side, after=late) == [
                f"The agreement with {other.name} in {cast.cluster.name} ends on {UNTIL:%Y-%m-%d}"
            ]
    assert told(cast.vendor, after=late) == []


def test_what_was_ended_before_its_day_ends_no_more(cast: Cast) -> None:
    made = agreed(
        cast.operator, cast.tenant, cast.cluster, preset="open-book", now=NOW, until=UNTIL
    )
    by = admin_of(cast.operator, now=NOW)
    with organization_scope(cast.operator.pk):
        acts.revoke(actor=by.actor, agreement=made, number=1, reason="x", context=by)

    assert told(cast.tenant, after=SOON - NOW) == []


def test_who_chose_something_else_is_not_written_to(cast: Cast, settings: Any) -> None:
    tina = person(cast.tenant, "tina", MemberRole.ADMIN)
    with organization_scope(cast.tenant.pk):
        Subscription.objects.create(
            organization=cast.tenant, user=tina, kinds=["incident.opened"], changed_at=NOW
        )
    with mail_server(settings):
        proposed(cast.operator, cast.tenant, cast.cluster, preset="open-book", now=NOW)
        assert len(told(cast.tenant)) == 1
    with organization_scope(cast.tenant.pk):
        assert not Delivery.objects.exists()
