"""How incidents stand, as each organization may know it."""

from datetime import timedelta

import pytest

from apps.incidents.facade import changes
from apps.incidents.models import Incident, IncidentParty
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast

pytestmark = pytest.mark.django_db


def _state(who: Organization, incident: Incident) -> changes.IncidentState | None:
    with organization_scope(who.pk):
        return changes.states_of(organization_id=who.pk, ids=[incident.pk]).get(incident.pk)


def _left(who: Organization, incident: Incident) -> None:
    with organization_scope(who.pk):
        own = IncidentParty.objects.for_organization(who).filter(incident=incident)
        assert own.update(left_at=make.AT) == 1


def test_a_state_says_how_an_incident_stands_and_whom_it_hit(
    cast: Cast, incident: Incident
) -> None:
    state = _state(cast.operator, incident)
    assert state is not None
    assert (state.kind, state.status, state.revision) == ("stop", "open", incident.revision)
    assert (state.verdict_status, state.settled_at) == ("likely", None)
    assert state.attempt_number == 1
    assert state.session_id is not None
    assert state.sees_culprit


def test_a_vendor_is_not_told_whose_session_it_was(cast: Cast, incident: Incident) -> None:
    state = _state(cast.vendor, incident)
    assert state is not None
    assert (state.session_id, state.attempt_number) == (None, None)


def test_whose_incident_it_is_not_reads_no_state(cast: Cast, incident: Incident) -> None:
    assert _state(cast.stranger, incident) is None
    with organization_scope(cast.stranger.pk):
        assert changes.header_as_told(organization=cast.stranger, incident_id=incident.pk) is None


def test_what_is_new_is_of_the_parties_that_are_still_there(cast: Cast, incident: Incident) -> None:
    who = cast.operator
    since = incident.detected_at - timedelta(minutes=1)

    def news() -> list[int]:
        with organization_scope(who.pk):
            return [each.id for each in changes.states_since(organization_id=who.pk, since=since)]

    def party_of() -> frozenset[int]:
        with organization_scope(who.pk):
            return changes.party_of(organization_id=who.pk, ids=[incident.pk])

    assert (news(), party_of()) == ([incident.pk], frozenset({incident.pk}))
    since = incident.detected_at + timedelta(minutes=1)
    assert news() == []
    since = incident.detected_at
    _left(who, incident)
    assert (news(), party_of()) == ([], frozenset())
