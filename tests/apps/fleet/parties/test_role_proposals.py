"""Parts in a cluster, offered, accepted, asked back and left: who sees what, before and after."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction

from apps.fleet.access import access_clusters, access_sessions, clusters_of_token
from apps.fleet.authority.project_owners import give_project
from apps.fleet.models import (
    Cluster,
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
from apps.fleet.parties.leave_cluster import LastOperator, leave
from apps.fleet.parties.role_proposals import (
    LASTS,
    OPEN_AT_MOST,
    BadProposal,
    HasPart,
    LacksPart,
    OwnOffer,
    OwnPart,
    ProposedRole,
    SlugBad,
    TooManyOpen,
    accept,
    access_made,
    access_received,
    decline,
    propose,
    take_back,
)
from apps.fleet.sessions.session_reports import SessionReport
from apps.fleet.sessions.session_rows import record_report
from apps.incidents.correlation.incident_rows.incident_parties import set_parties
from apps.incidents.models import IncidentParty
from apps.tenancy.access import Actor, NotFound
from apps.tenancy.models import AuditEntry, MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor, assemble, attempt_of, stop_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    """Assemble the parties; the stranger takes part in nothing."""
    return assemble()


def admin(organization: Organization) -> Actor:
    """Return somebody who manages an organization."""
    return actor(organization, MemberRole.ADMIN)


def told(actor: Actor) -> ActContext:
    """Return when and from where somebody acts."""
    return ActContext(actor=actor, now=make.AT, remote_address="192.0.2.7")


def offered(
    cast: Cast,
    slug: str,
    part: ParticipationRole = ParticipationRole.PLATFORM,
    kind: ProposalKind = ProposalKind.OFFER,
    layers: list[str] | None = None,
) -> PartProposal:
    """Propose something as the operator."""
    by = admin(cast.operator)
    with organization_scope(cast.operator.pk):
        wish = ProposedRole(kind=kind, slug=slug, part=part, layers=layers)
        row, _ = propose(actor=by, cluster=cast.cluster, wish=wish, context=told(by))
    return row


def answered(row: PartProposal, organization: Organization) -> None:
    """Accept it as the other organization."""
    by = admin(organization)
    with organization_scope(organization.pk):
        accept(actor=by, public_id=row.public_id, context=told(by))


def left(organization: Organization, cluster: Cluster, part: ParticipationRole) -> None:
    """Leave a part as an admin of the organization."""
    by = admin(organization)
    with organization_scope(organization.pk):
        leave(actor=by, cluster=cluster, part=part, context=told(by))


def clusters_of(organization: Organization) -> list[Cluster]:
    """Return where it takes part."""
    with organization_scope(organization.pk):
        return list(access_clusters(actor=admin(organization)))


def record_of(organization: Organization) -> list[tuple[str, str, str, str | None]]:
    """Return what stands in its record about parts."""
    with organization_scope(organization.pk):
        rows = AuditEntry.objects.filter(action__startswith="participation.").order_by("sequence")
        return [(each.action, each.subject, each.actor, each.remote_address) for each in rows]


def test_nothing_is_seen_before_the_other_side_agrees_and_all_at_once_after(cast: Cast) -> None:
    row = offered(cast, cast.stranger.slug)

    assert clusters_of(cast.stranger) == []
    answered(row, cast.stranger)
    assert clusters_of(cast.stranger) == [cast.cluster]
    with organization_scope(cast.stranger.pk):
        part = Participation.objects.get()
        assert (part.part, part.layers, part.since) == (ParticipationRole.PLATFORM, [], make.AT)
    with pytest.raises(NotFound):
        answered(row, cast.stranger)  # once


def test_a_slug_that_nobody_has_looks_like_one_that_waits(cast: Cast) -> None:
    known, unknown = offered(cast, cast.stranger.slug), offered(cast, "no-such-party")
    by = admin(cast.operator)
    with organization_scope(cast.operator.pk):
        seen = [
            (each.state, each.part, each.layers, each.kind, each.expires_at)
            for each in access_made(actor=by)
        ]

    assert seen[0] == seen[1]
    assert known.recipient == cast.stranger
    assert unknown.recipient is None


def test_only_sender_and_recipient_see_a_proposal_and_only_the_sender_may_write_it(
    cast: Cast,
) -> None:
    row = offered(cast, cast.stranger.slug)
    for other in (cast.tenant, cast.vendor, cast.other_tenant):
        with organization_scope(other.pk):
            assert not PartProposal.objects.exists()
    with organization_scope(cast.stranger.pk):
        rows = PartProposal.objects.filter(pk=row.pk)
        assert rows.exists()
        assert rows.update(state=ProposalState.ACCEPTED) == 0
        with pytest.raises(DatabaseError, match="row-level security"), transaction.atomic():
            PartProposal.objects.create(
                organization=cast.operator,
                public_id="PRO-FORGED",
                cluster=cast.cluster,
                kind=ProposalKind.OFFER,
                part=ParticipationRole.OPERATOR,
                slug=cast.stranger.slug,
                recipient=cast.stranger,
                state=ProposalState.OPEN,
                created_at=make.AT,
                expires_at=make.AT + LASTS,
            )


def test_both_records_tell_it_and_neither_names_a_person_of_the_other(cast: Cast) -> None:
    row = offered(cast, cast.stranger.slug)
    answered(row, cast.stranger)
    subject = f"{cast.cluster.slug} platform {cast.stranger.slug}"
    operators, strangers = record_of(cast.operator), record_of(cast.stranger)

    assert [each[:2] for each in operators] == [
        ("participation.offered", subject),
        ("participation.accepted", subject),
    ]
    assert [each[:2] for each in strangers] == [each[:2] for each in operators]
    assert operators[1][2:] == (f"organization:{cast.stranger.slug}", None)
    assert strangers[0][2:] == (f"organization:{cast.operator.slug}", None)
    assert strangers[1][2].startswith("user:")
    assert strangers[1][3] == "192.0.2.7"


@pytest.mark.parametrize(
    ("kind", "slug", "part", "refusal"),
    [
        (ProposalKind.OFFER, "no slug", ParticipationRole.TENANT, SlugBad),
        (ProposalKind.OFFER, "TENANT", ParticipationRole.TENANT, HasPart),
        (ProposalKind.WITHDRAWAL, "TENANT", ParticipationRole.PLATFORM, LacksPart),
        (ProposalKind.WITHDRAWAL, "no-such-party", ParticipationRole.PLATFORM, LacksPart),
        (ProposalKind.WITHDRAWAL, "OPERATOR", ParticipationRole.OPERATOR, OwnPart),
        (ProposalKind.OFFER, "OPERATOR", ParticipationRole.PLATFORM, OwnOffer),
    ],
)
def test_what_can_not_be_proposed(
    cast: Cast, kind: ProposalKind, slug: str, part: ParticipationRole, refusal: type[BadProposal]
) -> None:
    slugs = {"TENANT": cast.tenant.slug, "OPERATOR": cast.operator.slug}
    with pytest.raises(refusal):
        offered(cast, slugs.get(slug, slug), part, kind)
    assert record_of(cast.operator) == []


@pytest.mark.parametrize("who", ["tenant", "vendor", "stranger"])
def test_who_does_not_run_the_cluster_offers_nothing(cast: Cast, who: str) -> None:
    by = admin(getattr(cast, who))
    wish = ProposedRole(kind=ProposalKind.OFFER, slug="anyone", part=ParticipationRole.OPERATOR)
    with organization_scope(by.organization.pk), pytest.raises(NotFound):
        propose(actor=by, cluster=cast.cluster, wish=wish, context=told(by))


def test_asking_again_renews_and_many_that_wait_are_too_many(cast: Cast) -> None:
    first = offered(cast, cast.stranger.slug)
    assert offered(cast, cast.stranger.slug).pk == first.pk
    assert len(record_of(cast.stranger)) == 1
    with organization_scope(cast.operator.pk):
        PartProposal.objects.bulk_create(
            PartProposal(
                organization=cast.operator,
                public_id=f"PRO-{number}",
                cluster=cast.cluster,
                kind=ProposalKind.OFFER,
                part=ParticipationRole.TENANT,
                slug=f"party-{number}",
                state=ProposalState.OPEN,
                created_at=make.AT,
                expires_at=make.AT + LASTS,
            )
            for number in range(OPEN_AT_MOST - 1)
        )
    with pytest.raises(TooManyOpen):
        offered(cast, "one-more")


def test_nobody_agrees_to_other_layers_than_were_read(cast: Cast) -> None:
    read = offered(cast, cast.stranger.slug)
    other = offered(cast, cast.stranger.slug, layers=["gpu", "network"])
    with pytest.raises(NotFound):
        answered(read, cast.stranger)
    assert [each[0] for each in record_of(cast.stranger)] == ["participation.offered"] * 2
    answered(other, cast.stranger)
    with organization_scope(cast.stranger.pk):
        assert Participation.objects.get().layers == ["gpu", "network"]


def test_a_proposal_ends_when_it_is_declined_taken_back_or_too_old(cast: Cast) -> None:
    declined, back, old = (
        offered(cast, cast.stranger.slug, part)
        for part in (
            ParticipationRole.TENANT,
            ParticipationRole.PLATFORM,
            ParticipationRole.GPU_VENDOR,
        )
    )
    stranger, operator = admin(cast.stranger), admin(cast.operator)
    with organization_scope(cast.stranger.pk):
        decline(actor=stranger, public_id=declined.public_id, context=told(stranger))
    with organization_scope(cast.operator.pk):
        assert take_back(actor=operator, public_id=back.public_id, context=told(operator))
        assert not take_back(actor=operator, public_id=back.public_id, context=told(operator))
    with organization_scope(cast.stranger.pk):
        assert list(access_received(actor=stranger, now=make.AT)) == [old]
        late = ActContext(actor=stranger, now=make.AT + LASTS + timedelta(seconds=1))
        for row in (declined, back, old):
            with pytest.raises(NotFound):
                accept(actor=stranger, public_id=row.public_id, context=late)
    assert clusters_of(cast.stranger) == []


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
