"""What people ask of each other about an incident is told to whom it is asked, and nobody else."""

from datetime import timedelta

from apps.incidents.entries import HandOverEntry, StepEntry
from apps.incidents.lifecycle.hand_over import answer, propose
from apps.incidents.lifecycle.resolution import propose_resolution
from apps.incidents.models import Incident
from apps.incidents.projection.access import access_incident
from apps.incidents.states import HandOverState
from apps.notifications.models import Notification
from apps.notifications.notification_kinds import Minimum, NotificationKind
from apps.notifications.occasions.incident_changes import look
from apps.notifications.preferences.preferences import Preference, wanted
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor

NOW = make.AT + timedelta(minutes=5)


def told(organization: Organization, minutes: int = 0) -> list[Notification]:
    """Return what an organization is told now."""
    return look(organization_id=organization.pk, now=NOW + timedelta(minutes=minutes))


def kinds(notices: list[Notification]) -> list[str]:
    """Return of which kinds they are."""
    return [each.kind for each in notices]


def proposed(cast: Cast, incident: Incident) -> str:
    """Let the operator propose to hand over to the vendor."""
    with organization_scope(cast.operator.pk):
        asking = actor(cast.operator)
        found = access_incident(actor=asking, public_id=incident.public_id)
        entry = HandOverEntry(to=cast.vendor.slug, reason="your-layer", text="SECRET-WORDS")
        return propose(actor=asking, incident=found, entry=entry, now=NOW)


def answered(cast: Cast, incident: Incident, subject: str, state: HandOverState) -> None:
    """Let the vendor answer."""
    with organization_scope(cast.vendor.pk):
        asking = actor(cast.vendor)
        found = access_incident(actor=asking, public_id=incident.public_id)
        entry = StepEntry(reason="not-ours" if state == HandOverState.DECLINED else "")
        answer(actor=asking, incident=found, subject=subject, state=state, entry=entry, now=NOW)


def test_whom_it_is_proposed_to_is_told_at_once_and_once(cast: Cast, incident: Incident) -> None:
    everybody = (cast.operator, cast.tenant, cast.vendor)
    for each in everybody:
        assert told(each)
    proposed(cast, incident)
    assert {each.slug: kinds(told(each, 1)) for each in everybody} == {
        cast.operator.slug: [], cast.tenant.slug: [],
        cast.vendor.slug: [NotificationKind.REQUESTED],
    }  # fmt: skip
    assert told(cast.vendor, 2) == []


def test_who_proposed_is_told_what_came_of_it(cast: Cast, incident: Incident) -> None:
    for each in (cast.operator, cast.tenant, cast.vendor):
        told(each)
    answered(cast, incident, proposed(cast, incident), HandOverState.DECLINED)
    (notice,) = told(cast.operator, 1)
    assert notice.kind == NotificationKind.REQUESTED
    assert notice.body["incident"]["waiting"] == ["declined"]
    assert "SECRET-WORDS" not in str(notice.body)
    assert told(cast.tenant, 1) == []


def test_who_takes_it_over_is_told_that_it_is_its_own(cast: Cast, incident: Incident) -> None:
    for each in (cast.operator, cast.tenant, cast.vendor):
        told(each)
    answered(cast, incident, proposed(cast, incident), HandOverState.ACCEPTED)
    assert NotificationKind.ASSIGNED in kinds(told(cast.vendor, 1))
    # The verdict is the same: to the others it is no news.
    assert told(cast.tenant, 1) == []
    assert kinds(told(cast.operator, 1)) == [NotificationKind.REQUESTED]


def test_a_proposal_to_resolve_is_told_to_the_owner(cast: Cast, incident: Incident) -> None:
    for each in (cast.operator, cast.tenant):
        told(each)
    with organization_scope(cast.operator.pk):
        entry = StepEntry(reason="fixed")
        propose_resolution(actor=actor(cast.operator), incident=incident, entry=entry, now=NOW)
    (notice,) = told(cast.tenant, 1)
    assert notice.body["incident"]["waiting"] == ["resolution"]
    assert told(cast.operator, 1) == []


def test_of_an_old_incident_only_who_is_asked_is_told(cast: Cast, incident: Incident) -> None:
    two_days, ten_days = 2 * 24 * 60, 10 * 24 * 60
    assert all(told(each, two_days) == [] for each in (cast.tenant, cast.vendor))
    proposed(cast, incident)
    assert NotificationKind.REQUESTED in kinds(told(cast.vendor, ten_days))
    assert told(cast.tenant, ten_days) == []


def test_who_waits_for_sure_verdicts_is_told_all_the_same(cast: Cast, incident: Incident) -> None:
    told(cast.vendor)
    proposed(cast, incident)
    notices = told(cast.vendor, 1)
    notices[0].body["incident"]["verdict_status"] = "unknown"
    points = frozenset({str(NotificationKind.ASSIGNED)})
    assert wanted(wish=Preference(kinds=points, minimum=Minimum.LIKELY), notices=notices)
    assert not wanted(wish=Preference(kinds=frozenset()), notices=notices)
