"""Parts in a cluster, asked back and left, and what was seen with them before and after."""

from datetime import timedelta

import pytest

from apps.fleet.access import access_sessions, clusters_of_token
from apps.fleet.authority.project_owners import give_project
from apps.fleet.models import (
    Participation,
    ParticipationRole,
    PartProposal,
    ProjectTenant,
    ProposalKind,
    ProposalState,
    Session,
    SessionParty,
)
from apps.fleet.parties.cross_party_acts import ActContext
from apps.fleet.parties.leave_cluster import LastOperator
from apps.fleet.parties.role_proposals import (
    LASTS,
    accept,
)
from apps.fleet.sessions.session_reports import SessionReport
from apps.fleet.sessions.session_rows import record_report
from apps.incidents.correlation.incident_rows.incident_parties import set_parties
from apps.incidents.models import IncidentParty
from apps.tenancy.access import NotFound
from apps.tenancy.scope import organization_scope
from tests.apps.fleet.parties.proposals import (
    admin,
    answered,
    clusters_of,
    left,
    offered,
    record_of,
)
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of

pytestmark = pytest.mark.django_db


def test_a_part_asked_back_ends_when_its_holder_agrees(cast: Cast) -> None:
    row = offered(cast, cast.vendor.slug, ParticipationRole.GPU_VENDOR, ProposalKind.WITHDRAWAL)

    assert clusters_of(cast.vendor) == [cast.cluster]
    answered(row, cast.vendor)
    assert clusters_of(cast.vendor) == []


def test_leaving_takes_projects_tokens_and_requests_along(cast: Cast) -> None:
    give_project(cluster=cast.cluster, project="solar", tenant=cast.tenant.slug)
    row = offered(cast, cast.tenant.slug, ParticipationRole.TENANT, ProposalKind.WITHDRAWAL)
    ids = [cast.cluster.pk]
    assert clusters_of_token(organization_id=cast.tenant.pk, ids=ids) == [cast.cluster]
    left(cast.tenant, cast.cluster, ParticipationRole.TENANT)

    assert clusters_of_token(organization_id=cast.tenant.pk, ids=ids) == []
    with organization_scope(cast.tenant.pk):
        assert not ProjectTenant.objects.exists()
    with organization_scope(cast.operator.pk):
        row.refresh_from_db()
        assert row.state == ProposalState.ACCEPTED
    assert record_of(cast.operator)[-1][0] == "participation.left"


def test_the_last_operator_can_not_leave_and_one_of_two_can(cast: Cast) -> None:
    with pytest.raises(LastOperator):
        left(cast.operator, cast.cluster, ParticipationRole.OPERATOR)
    answered(offered(cast, cast.stranger.slug, ParticipationRole.OPERATOR), cast.stranger)
    open_offer = offered(cast, cast.vendor.slug, ParticipationRole.NETWORK_VENDOR)
    left(cast.operator, cast.cluster, ParticipationRole.OPERATOR)

    assert clusters_of(cast.operator) == []
    with pytest.raises(NotFound):
        answered(open_offer, cast.vendor)  # it went with who offered it
    with pytest.raises(LastOperator):
        left(cast.stranger, cast.cluster, ParticipationRole.OPERATOR)


def test_incidents_of_before_stay_with_whom_they_were(cast: Cast) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    row = offered(cast, cast.stranger.slug, ParticipationRole.NETWORK_VENDOR)
    with organization_scope(cast.operator.pk):
        PartProposal.objects.update(expires_at=incident.detected_at + 2 * LASTS)
    by = admin(cast.stranger)
    with organization_scope(cast.stranger.pk):
        later = incident.detected_at + timedelta(days=1)
        accept(actor=by, public_id=row.public_id, context=ActContext(actor=by, now=later))
    left(cast.vendor, cast.cluster, ParticipationRole.GPU_VENDOR)
    with organization_scope(cast.operator.pk, cast.tenant.pk, cast.stranger.pk):
        set_parties(incident=incident, tenant_ids=[cast.tenant.pk])
    with organization_scope(cast.vendor.pk):
        assert IncidentParty.objects.filter(incident=incident).exists()
    with organization_scope(cast.stranger.pk):
        assert not IncidentParty.objects.filter(incident=incident).exists()


def test_who_comes_back_keeps_the_incidents_of_before(cast: Cast) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    with organization_scope(*cast.ids):
        set_parties(incident=incident, tenant_ids=[cast.tenant.pk])
    left(cast.vendor, cast.cluster, ParticipationRole.GPU_VENDOR)
    with organization_scope(cast.vendor.pk):
        Participation.objects.create(
            organization=cast.vendor,
            cluster=cast.cluster,
            part=ParticipationRole.NETWORK_VENDOR,
            since=incident.detected_at + timedelta(days=1),
        )
    with organization_scope(*cast.ids):
        set_parties(incident=incident, tenant_ids=[cast.tenant.pk])
        kept = IncidentParty.objects.get(incident=incident, organization=cast.vendor)
    assert kept.parts == [ParticipationRole.GPU_VENDOR]


def test_who_stops_serving_sees_sessions_that_ended_and_no_others(cast: Cast) -> None:
    answered(offered(cast, cast.stranger.slug), cast.stranger)
    ended = attempt_of(cast, cast.tenant, ended_at=make.AT + timedelta(hours=1)).session
    runs = attempt_of(cast, cast.tenant).session
    with organization_scope(cast.stranger.pk):
        for session in (ended, runs):
            SessionParty.objects.create(organization=cast.stranger, session=session)
    left(cast.stranger, cast.cluster, ParticipationRole.PLATFORM)

    with organization_scope(cast.stranger.pk):
        assert list(access_sessions(actor=admin(cast.stranger))) == [ended]


@pytest.mark.parametrize(
    ("part", "sees"), [(ParticipationRole.OPERATOR, True), (ParticipationRole.GPU_VENDOR, False)]
)
def test_who_begins_to_run_the_cluster_sees_what_runs_on_it_and_nothing_of_before(
    cast: Cast, part: ParticipationRole, *, sees: bool
) -> None:
    attempt_of(cast, cast.tenant, ended_at=make.AT + timedelta(hours=1))
    runs = attempt_of(cast, cast.tenant).session
    answered(offered(cast, cast.stranger.slug, part), cast.stranger)

    with organization_scope(cast.stranger.pk):
        assert list(access_sessions(actor=admin(cast.stranger))) == ([runs] if sees else [])


def test_the_end_of_a_session_reaches_a_tenant_who_left_while_it_ran(cast: Cast) -> None:
    give_project(cluster=cast.cluster, project="solar", tenant=cast.tenant.slug)
    report = SessionReport(session="job-1", project="solar", scheduler="slurm", at=make.AT)
    record_report(cluster=cast.cluster, reporter=cast.operator, report=report, now=make.AT)
    left(cast.tenant, cast.cluster, ParticipationRole.TENANT)
    end = SessionReport(session="job-1", scheduler="slurm", exit_codes={"0": 1})
    told = record_report(cluster=cast.cluster, reporter=cast.operator, report=end, now=make.AT)

    assert told.attempt.organization_id == cast.tenant.pk
    with organization_scope(cast.tenant.pk):
        assert Session.objects.get().attempts.get().exit_codes == {"0": 1}
