"""Parts in a cluster as tests offer, accept and leave them."""

from apps.fleet.access import access_clusters
from apps.fleet.models import (
    Cluster,
    ParticipationRole,
    PartProposal,
    ProposalKind,
)
from apps.fleet.parties.cross_party_acts import ActContext
from apps.fleet.parties.leave_cluster import leave
from apps.fleet.parties.role_proposals import (
    ProposedRole,
    accept,
    propose,
)
from apps.tenancy.access import Actor
from apps.tenancy.models import AuditEntry, MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor


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
