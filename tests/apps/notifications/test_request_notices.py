"""A request for evidence is told to who is asked, its answer to who asked, each once."""

from datetime import timedelta

from apps.incidents.models import Incident
from apps.notifications.models import Notification
from apps.notifications.notification_kinds import NotificationKind
from apps.notifications.occasions import incident_changes
from apps.notifications.occasions.request_notices import has_requests
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.evidence_requests import asked, granted
from tests.cast.incidents import Cast, attempt_of, stop_of

NOW = make.AT + timedelta(minutes=5)
KINDS = (NotificationKind.EVIDENCE_REQUESTED, NotificationKind.EVIDENCE_ANSWERED)


def told(organization: Organization) -> list[str]:
    incident_changes.look(organization_id=organization.pk, now=NOW)
    with organization_scope(organization.pk):
        assert not has_requests(organization=organization, now=NOW)
        rows = Notification.objects.filter(kind__in=KINDS).order_by("id")
        return [row.body["title"] for row in rows]


def test_each_side_is_told_of_the_other_once(cast: Cast) -> None:
    incident: Incident = stop_of(cast, attempt_of(cast, cast.tenant))
    request = asked(incident, cast.tenant, cast.operator, now=NOW)

    for _ in range(2):
        assert told(cast.operator) == [
            f"{cast.tenant.name} asks you for evidence in {incident.public_id}"
        ]
    assert told(cast.tenant) == told(cast.vendor) == []

    granted(request, cast.operator, now=NOW)
    for _ in range(2):
        assert told(cast.tenant) == [
            f"{cast.operator.name} answered your request in {incident.public_id}"
        ]
    assert len(told(cast.operator)) == 1


def test_what_is_older_than_a_day_is_no_news(cast: Cast) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    asked(incident, cast.tenant, cast.operator, now=NOW - timedelta(hours=25))

    assert told(cast.operator) == []
