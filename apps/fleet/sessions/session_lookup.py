"""Which session a label or a log means."""

from django.db.models import Q

from apps.fleet.authority.agreed_terms import authority_of
from apps.fleet.authority.project_owners import among_parties
from apps.fleet.authority.rules import Subject
from apps.fleet.models import (
    Cluster,
    Participation,
    ParticipationRole,
    Session,
)
from apps.fleet.sessions import session_aliases


def find(*, cluster_id: int | None, name: str, owner_id: int | None = None) -> Session | None:
    """Return the session that a label means, by its id, what else its scheduler calls it, or else
    its job name; None if ambiguous.

    Without an owner only sessions that who runs the cluster told of: a tenant may have given any
    name to one of its own. Sees what the scope may see.
    """
    rows = Session.objects.filter(cluster=cluster_id)
    rows = rows.filter(is_asserted=True) if owner_id is None else rows.filter(organization=owner_id)
    # A job's name is its user's to choose: it finds nothing of others.
    called = (Q(name=name), session_aliases.called(name=name))
    for wanted in (*called, Q(job=name)) if owner_id is not None else called:
        found = list(rows.filter(wanted).order_by("id")[:2])
        if found:
            return found[0] if len(found) == 1 else None
    return None


def find_for_log(*, organization_id: int, cluster: Cluster, name: str) -> Session | None:
    """Return the session that a label of a party's log means: its own, or one that it may tell of.

    Needs the scope of the organization.
    """
    if not _tells_of_others(organization_id, cluster):
        return find(cluster_id=cluster.pk, name=name, owner_id=organization_id)
    found = find(cluster_id=cluster.pk, name=name)
    if found is None:
        with among_parties(cluster):
            tenants = authority_of(cluster_id=cluster.pk).with_part(ParticipationRole.TENANT)
        if len(tenants) == 1:
            found = find(cluster_id=cluster.pk, name=name, owner_id=tenants.pop())
    return found


def _tells_of_others(organization_id: int, cluster: Cluster) -> bool:
    authority = authority_of(cluster_id=cluster.pk)
    return authority.asserts(organization_id=organization_id, subject=Subject.SESSION_LOG)


def is_tenant(*, organization_id: int, cluster_id: int) -> bool:
    """Say whether an organization owns the sessions it names on a cluster. Needs its scope."""
    own = Participation.objects.for_organization(organization_id).filter(cluster=cluster_id)
    return own.filter(part=ParticipationRole.TENANT).exists()
