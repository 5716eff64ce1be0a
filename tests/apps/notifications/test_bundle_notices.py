"""A bundle that is sent is told to those it was sent to, once; one that was only made to nobody."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.notifications.models import Notification
from apps.notifications.notification_kinds import NotificationKind
from apps.notifications.occasions import incident_changes
from apps.notifications.occasions.bundle_notices import has_bundles
from apps.sharing.facade import bundles
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import kept_charts
from tests.cast.bundles import made, sent, told_by
from tests.cast.incidents import Cast, attempt_of, stop_of


@pytest.fixture(autouse=True)
def incident(cast: Cast) -> str:
    found = stop_of(cast, attempt_of(cast, cast.tenant))
    kept_charts.keep(cast, found)
    return found.public_id


def told(organization: Organization) -> list[str]:
    now = timezone.now() + timedelta(seconds=1)  # noqa: TID251  bundles are sent now
    incident_changes.look(organization_id=organization.pk, now=now)
    with organization_scope(organization.pk):
        assert not has_bundles(organization=organization, now=now)
        rows = Notification.objects.filter(kind=NotificationKind.BUNDLE).order_by("id")
        return [row.body["title"] for row in rows]


def test_who_was_sent_one_is_told_once_and_nobody_else(cast: Cast, incident: str) -> None:
    public_id = sent(cast.operator, cast.tenant)

    for _ in range(2):
        assert told(cast.tenant) == [f"{cast.operator.name} shared evidence of {incident} with you"]
    assert told(cast.operator) == told(cast.vendor) == []
    with organization_scope(cast.tenant.pk):
        notice = Notification.objects.get(kind=NotificationKind.BUNDLE)
    assert notice.body["url"].endswith(f"/sharing/bundles/{public_id}/")
    assert notice.body["bundle"]["organization"] == cast.operator.slug


def test_what_was_made_or_withdrawn_is_told_to_nobody(cast: Cast) -> None:
    made(cast.operator, cast.tenant)
    public_id = sent(cast.operator, cast.tenant)
    told_to = told_by(cast.operator)
    with organization_scope(cast.operator.pk):
        bundles.revoke(actor=told_to.actor, public_id=public_id, reason="no", context=told_to)

    assert told(cast.tenant) == []
