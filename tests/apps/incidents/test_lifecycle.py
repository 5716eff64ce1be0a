"""Acknowledge is each party's own; resolve is the owner's or operator's; reopen anyone's."""

from datetime import timedelta

import pytest

from apps.fleet.models import Participation, ParticipationRole
from apps.incidents.correlation.incident_rows.hit_attempts import attach
from apps.incidents.correlation.incident_rows.incident_writer import revive, rewrite
from apps.incidents.entries import StepEntry
from apps.incidents.lifecycle.acknowledge import acknowledge
from apps.incidents.lifecycle.resolution import allowed_acts, reopen, resolve
from apps.incidents.models import Incident, IncidentParty, IncidentSession, TimelineEntry
from apps.incidents.projection.access import access_incident
from apps.incidents.refusals import AlreadyHandled
from apps.incidents.states import IncidentStatus
from apps.tenancy.access import NotFound
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor, attempt_of, conclusion, stop_of

NOW = make.AT + timedelta(minutes=5)
FIXED, AGAIN = StepEntry(reason="fixed"), StepEntry(reason="came-back")


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """A stop of the tenant's session."""
    return stop_of(cast, attempt_of(cast, cast.tenant))


def test_each_party_acknowledges_for_itself_and_once(cast: Cast, incident: Incident) -> None:
    with organization_scope(cast.vendor.pk):
        acknowledge(actor=actor(cast.vendor), incident=incident, now=NOW)
        with pytest.raises(AlreadyHandled):
            acknowledge(actor=actor(cast.vendor), incident=incident, now=NOW)
    with organization_scope(*cast.ids):
        noted = IncidentParty.objects.filter(incident=incident, acknowledged_at=NOW)
        assert [party.organization_id for party in noted] == [cast.vendor.pk]


def test_all_parties_read_who_acknowledged(cast: Cast, incident: Incident) -> None:
    with organization_scope(cast.vendor.pk):
        acknowledge(actor=actor(cast.vendor), incident=incident, now=NOW)
    with organization_scope(cast.tenant.pk):
        told = TimelineEntry.objects.filter(incident=incident, kind="acknowledged")
        assert [entry.organization_id for entry in told] == [cast.vendor.pk]


def test_owner_resolves_and_a_vendor_reopens(cast: Cast, incident: Incident) -> None:
    with organization_scope(cast.tenant.pk):
        resolve(actor=actor(cast.tenant), incident=incident, entry=FIXED, now=NOW)
    with organization_scope(cast.vendor.pk):
        incident.refresh_from_db()
        assert incident.status == IncidentStatus.RESOLVED
        reopen(actor=actor(cast.vendor), incident=incident, entry=AGAIN, now=NOW)
        incident.refresh_from_db()
    assert (incident.status, incident.resolved_at) == (IncidentStatus.OPEN, None)


def test_what_is_resolved_while_it_is_diagnosed_again_stays_resolved(
    cast: Cast, incident: Incident
) -> None:
    with organization_scope(*cast.ids):
        (part,) = IncidentSession.objects.filter(incident=incident).select_related("attempt")
    with organization_scope(cast.tenant.pk):
        resolve(actor=actor(cast.tenant), incident=incident, entry=FIXED, now=NOW)
    with organization_scope(*cast.ids):
        # The diagnosis has read the incident before that.
        told = conclusion(cast, cause="gpu-ecc")
        revive(incident=incident)
        attach(incident=incident, attempt=part.attempt, conclusion=told)
        rewrite(
            incident=incident,
            attempt=part.attempt,
            conclusion=told,
            newest_evidence_at=NOW,
            now=NOW,
        )
        incident.refresh_from_db()
    assert (incident.status, incident.resolved_at) == (IncidentStatus.RESOLVED, NOW)
    assert incident.touched_by_people
    assert incident.cause == "gpu-ecc"


def test_who_answers_for_the_blamed_layer_resolves_and_who_runs_the_cluster_proposes(
    cast: Cast, incident: Incident
) -> None:
    with organization_scope(cast.operator.pk), pytest.raises(NotFound):
        resolve(actor=actor(cast.operator), incident=incident, entry=FIXED, now=NOW)
    with organization_scope(cast.vendor.pk):
        resolve(actor=actor(cast.vendor), incident=incident, entry=FIXED, now=NOW)


def test_who_supplies_that_layer_no_more_reads_and_resolves_nothing(
    cast: Cast, incident: Incident
) -> None:
    with organization_scope(cast.vendor.pk):
        Participation.objects.filter(part=ParticipationRole.GPU_VENDOR).update(
            part=ParticipationRole.STORAGE_VENDOR
        )
        former = actor(cast.vendor)
        assert access_incident(actor=former, public_id=incident.public_id) == incident
        assert not allowed_acts(actor=former, incident=incident).may_resolve
        with pytest.raises(NotFound):
            resolve(actor=former, incident=incident, entry=FIXED, now=NOW)


def test_a_viewer_only_reads(cast: Cast, incident: Incident) -> None:
    viewer = actor(cast.tenant, MemberRole.VIEWER)
    with organization_scope(cast.tenant.pk), pytest.raises(NotFound):
        acknowledge(actor=viewer, incident=incident, now=NOW)
