"""Whose project is whose: the map that gives a scheduler's sessions their tenant.

The rows are their tenants'; operator and platform of the cluster write them.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass

from apps.fleet.models import Cluster, Participation, ParticipationRole, ProjectTenant
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

MAPPING = (ParticipationRole.OPERATOR, ParticipationRole.PLATFORM)
NAME_LIMIT = 120


class BadProject(ValueError):
    """It can't be mapped so."""


class ProjectNameBad(BadProject):
    """It has no name, or one that is too long."""


class ProjectTaken(BadProject):
    """Another tenant has it; two owners would leave its sessions without any."""

    def __init__(self, owner: str) -> None:
        super().__init__(f"it is mapped to {owner}")
        self.owner = owner


class NoTenant(BadProject):
    """The organization is no tenant of the cluster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedProject:
    """A project and the tenant that owns its sessions."""

    project: str
    tenant: Organization


def may_map(*, actor: Actor, cluster: Cluster) -> bool:
    """Say whether the actor may change the map: it manages an operator or platform here."""
    return Right.MANAGE in actor.rights and sees_map(actor=actor, cluster=cluster)


def sees_map(*, actor: Actor, cluster: Cluster) -> bool:
    """Say whether the actor's organization sees the whole map: it runs the cluster."""
    own = Participation.objects.for_organization(actor.organization).filter(cluster=cluster)
    return own.filter(part__in=MAPPING).exists()


def access_projects(*, actor: Actor, cluster: Cluster) -> list[MappedProject]:
    """Return the map by project: whole for operator and platform, for others their own part."""
    actor.require(Right.READ)
    if sees_map(actor=actor, cluster=cluster):
        with among_parties(cluster):
            return _mapped(cluster)
    return [each for each in _mapped(cluster) if each.tenant == actor.organization]


def access_tenants(*, actor: Actor, cluster: Cluster) -> list[Organization]:
    """Return whom a project may be mapped to; raise NotFound."""
    if not may_map(actor=actor, cluster=cluster):
        raise NotFound
    with among_parties(cluster):
        return _tenants(cluster)


def map_project(*, actor: Actor, cluster: Cluster, project: str, tenant: str) -> bool:
    """Give a project to the tenant of that slug; return whether that is news. Raise BadProject."""
    if not may_map(actor=actor, cluster=cluster):
        raise NotFound
    return give_project(cluster=cluster, project=project, tenant=tenant)


def unmap_project(*, actor: Actor, cluster: Cluster, project: str) -> bool:
    """Take a project from its tenant; sessions of before stay. Return whether it was mapped."""
    if not may_map(actor=actor, cluster=cluster):
        raise NotFound
    if "\x00" in project:
        return False  # PostgreSQL takes no NUL: nothing is called so
    with among_parties(cluster):
        count, _ = ProjectTenant.objects.filter(cluster=cluster, project=project).delete()
    return bool(count)


def give_project(*, cluster: Cluster, project: str, tenant: str) -> bool:
    """Give a project to a tenant, whoever asks; opens the scope of the cluster's parties."""
    name = project.strip()
    if not name or len(name) > NAME_LIMIT or not name.isprintable():
        raise ProjectNameBad
    with among_parties(cluster):
        hold_map(cluster=cluster)
        wanted = next((each for each in _tenants(cluster) if each.slug == tenant), None)
        if wanted is None:
            raise NoTenant
        owners = [each.tenant for each in _mapped(cluster) if each.project == name]
        if owners and owners != [wanted]:
            raise ProjectTaken(owners[0].slug)
        _, is_new = ProjectTenant.objects.get_or_create(
            organization=wanted, cluster=cluster, project=name
        )
    return is_new


def hold_map(*, cluster: Cluster) -> None:
    """Let nobody else write the map of a cluster, or its parts, until the transaction ends.

    Rows of two organizations can't exclude each other by a constraint.
    """
    # Rows that refer to the cluster may be written meanwhile.
    Cluster.objects.select_for_update(no_key=True).get(pk=cluster.pk)


def among_parties(cluster: Cluster) -> AbstractContextManager[None]:
    """Open the scope of everyone who takes part in a cluster."""
    return organization_scope(*parties_of(cluster_id=cluster.pk))


def _mapped(cluster: Cluster) -> list[MappedProject]:
    rows = ProjectTenant.objects.filter(cluster=cluster).select_related("organization")
    return [
        MappedProject(project=row.project, tenant=row.organization)
        for row in rows.order_by("project", "organization__slug")
    ]


def _tenants(cluster: Cluster) -> list[Organization]:
    rows = Participation.objects.filter(cluster=cluster, part=ParticipationRole.TENANT)
    found = {row.organization for row in rows.select_related("organization")}
    return sorted(found, key=lambda each: (each.name, each.pk))
