"""The operator's agreement to take a party's word for hosts: a tenant's for those that its sessions
run on, a platform's for what kernels and metrics of hosts say.
"""

from collections.abc import Iterable
from datetime import datetime

from apps.fleet.authority.agreed_terms import authority_of
from apps.fleet.authority.project_owners import among_parties, hold_map
from apps.fleet.authority.rules import SenderStanding, Subject
from apps.fleet.models import Attempt, Cluster, Participation, ParticipationRole
from apps.fleet.parties.cross_party_acts import ActContext, record_cross_party_act
from apps.fleet.parties.leave_cluster import remember
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.models import Organization

AGREED = (ParticipationRole.TENANT, ParticipationRole.PLATFORM)


def may_agree(*, actor: Actor, cluster: Cluster) -> bool:
    """Say whether the actor may: it manages an operator of the cluster. Needs the scope."""
    own = Participation.objects.for_organization(actor.organization).filter(cluster=cluster)
    return Right.MANAGE in actor.rights and own.filter(part=ParticipationRole.OPERATOR).exists()


def agree_as(
    *,
    actor: Actor,
    cluster: Cluster,
    slug: str,
    part: ParticipationRole,
    is_agreed: bool,
    context: ActContext,
) -> list[Attempt]:
    """Take a party's word for hosts, or no longer; return the attempts to look at again.

    Both sides' records tell of it. Raises NotFound. Needs the scope.
    """
    if not may_agree(actor=actor, cluster=cluster):
        raise NotFound
    changed = agree(cluster=cluster, slug=slug, part=part, is_agreed=is_agreed, now=context.now)
    if changed is None:
        return []
    action = "participation.hosts_agreed" if is_agreed else "participation.hosts_not_agreed"
    with among_parties(cluster):
        party = Organization.objects.get(slug=slug)
    record_cross_party_act(action, f"{cluster.slug} {part} {slug}", context, others={party.pk})
    return changed


def agree(
    *, cluster: Cluster, slug: str, part: ParticipationRole, is_agreed: bool, now: datetime
) -> list[Attempt] | None:
    """Do so, whoever asks; None where it is so already. Opens the scope. Raises NotFound."""
    with among_parties(cluster):
        hold_map(cluster=cluster)
        rows = Participation.objects.filter(cluster=cluster, part=part, organization__slug=slug)
        row = rows.first() if part in AGREED else None
        if row is None:
            raise NotFound
        if (row.hosts_agreed_at is not None) == is_agreed:
            return None
        if not is_agreed:
            # What was said under the agreement keeps its worth.
            remember(part=row, now=now)
        rows.update(hosts_agreed_at=now if is_agreed else None)
        return (
            _running(cluster, row.organization_id, slug) if part == ParticipationRole.TENANT else []
        )


def _running(cluster: Cluster, tenant_id: int, slug: str) -> list[Attempt]:
    """Judge anew where its running sessions run, as far as only it said so."""
    authority = authority_of(cluster_id=cluster.pk)
    said = authority.standing(organization_id=tenant_id, subject=Subject.SESSION_HOSTS, is_own=True)
    rows = Attempt.objects.filter(
        organization=tenant_id, session__cluster=cluster, ended_at=None
    ).select_related("session")
    running = [row for row in rows.select_for_update(of=("self",)).order_by("id") if row.hosts]
    return list(judge_hosts(rows=running, slug=slug, said=said))


def judge_hosts(*, rows: Iterable[Attempt], slug: str, said: SenderStanding) -> Iterable[Attempt]:
    """Yield the attempts whose hosts were an organization's word, which is worth that now."""
    for row in rows:
        own = [
            name for name in ("hosts", "ranks") if row.field_sources.get(name, [slug])[0] == slug
        ]
        for name in own:
            if name in row.field_sources:
                row.field_sources[name] = [*row.field_sources[name][:2], str(said)]
        if "hosts" in own:
            row.hosts_asserted = said is SenderStanding.ASSERTED
            row.save(update_fields=["field_sources", "hosts_asserted"])
            yield row
