"""A part in a cluster ends: what goes with it, what stays, and who is told."""

from datetime import datetime

from apps.fleet.authority.project_owners import among_parties, hold_map
from apps.fleet.models import (
    Cluster,
    FormerParticipation,
    Participation,
    ParticipationRole,
    PartProposal,
    ProjectTenant,
    ProposalKind,
    ProposalState,
    SessionParty,
)
from apps.fleet.parties import presence_subscribers
from apps.fleet.parties.cross_party_acts import ActContext, record_cross_party_act
from apps.fleet.sessions.session_parties import INFORMED, keep_ended
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope


class LastOperator(Exception):
    """Nobody would run the cluster: another one has to become its operator first."""


def leave(*, actor: Actor, cluster: Cluster, part: ParticipationRole, context: ActContext) -> None:
    """Give up a part of one's own. Raises NotFound, LastOperator. Needs the scope."""
    actor.require(Right.MANAGE)
    with among_parties(cluster):
        rows = Participation.objects.filter(cluster=cluster)
        operators = set(
            rows.filter(part=ParticipationRole.OPERATOR).values_list("organization_id", flat=True)
        )
    give_up(organization=actor.organization, cluster=cluster, part=part, now=context.now)
    others = operators - {actor.organization.pk}
    record_cross_party_act("participation.left", f"{cluster.slug} {part}", context, others=others)


def give_up(
    *, organization: Organization, cluster: Cluster, part: ParticipationRole, now: datetime
) -> None:
    """End an organization's part. Raises NotFound, LastOperator. Needs its scope.

    Sessions that ended and incidents stay with whom they were, as they stood.
    """
    hold_map(cluster=cluster)
    own = Participation.objects.for_organization(organization).filter(cluster=cluster)
    if not own.filter(part=part).exists():
        raise NotFound
    if part == ParticipationRole.OPERATOR and not _has_other_operator(organization, cluster):
        raise LastOperator
    remember(part=own.get(part=part), now=now)
    own.filter(part=part).delete()
    if part == ParticipationRole.TENANT:
        ProjectTenant.objects.for_organization(organization).filter(cluster=cluster).delete()
    if part == ParticipationRole.OPERATOR:
        _end_proposals(organization, cluster, now=now)
    if not own.exists():
        # Before sessions are taken from its view: it keeps what it has read of them.
        presence_subscribers.tell_left(
            organization_id=organization.pk, cluster_id=cluster.pk, now=now
        )
    if not own.filter(part__in=INFORMED).exists():
        _look_away(organization, cluster, now=now)
    _settle_requests(organization, cluster, part=part, now=now)


def remember(*, part: Participation, now: datetime) -> None:
    """Keep a part that ends, or is agreed otherwise: what was said in it keeps its worth."""
    FormerParticipation.objects.create(
        organization_id=part.organization_id,
        cluster_id=part.cluster_id,
        part=part.part,
        layers=part.layers,
        hosts_agreed_at=part.hosts_agreed_at,
        since=part.since,
        until=now,
    )


def is_last_operator(*, organization: Organization, cluster: Cluster) -> bool:
    """Say whether nobody else runs the cluster."""
    return not _has_other_operator(organization, cluster)


def _has_other_operator(organization: Organization, cluster: Cluster) -> bool:
    with among_parties(cluster):
        rows = Participation.objects.filter(cluster=cluster, part=ParticipationRole.OPERATOR)
        return rows.exclude(organization=organization).exists()


def _end_proposals(organization: Organization, cluster: Cluster, *, now: datetime) -> None:
    own = PartProposal.objects.for_organization(organization).filter(cluster=cluster)
    own.filter(state=ProposalState.OPEN).update(state=ProposalState.TAKEN_BACK, answered_at=now)


def _look_away(organization: Organization, cluster: Cluster, *, now: datetime) -> None:
    """Take others' sessions that still run from the view of who no longer serves the cluster.

    Those that ended stay as they stand: they may start again, or be reported on late.
    """
    own = SessionParty.objects.for_organization(organization)
    seen = own.filter(session__cluster=cluster, left_at=None)
    others = seen.exclude(session__organization=organization)
    others.filter(session__attempts__ended_at=None).delete()
    keep_ended(organization_id=organization.pk, cluster_id=cluster.pk, now=now)


def _settle_requests(
    organization: Organization, cluster: Cluster, *, part: ParticipationRole, now: datetime
) -> None:
    """Count a request to give the part up as accepted: it is gone, whoever asked."""
    asked = PartProposal.objects.filter(
        recipient=organization,
        cluster=cluster,
        part=part,
        kind=ProposalKind.WITHDRAWAL,
        state=ProposalState.OPEN,
    )
    for row in list(asked):
        with organization_scope(row.organization_id):
            PartProposal.objects.for_organization(row.organization_id).filter(pk=row.pk).update(
                state=ProposalState.ACCEPTED, answered_at=now
            )
