"""A whole upload → rows: nodes and devices, links, mounts, and whose the projects are."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from apps.fleet.authority.agreed_terms import authority_of
from apps.fleet.authority.project_owners import hold_map
from apps.fleet.authority.rules import Subject
from apps.fleet.hosts.host_names import short
from apps.fleet.inventory.device_records import record_devices
from apps.fleet.inventory.inventory_report import InventoryReport, LinkReport, MountReport
from apps.fleet.models import (
    Cluster,
    Link,
    Mount,
    Participation,
    ParticipationRole,
    ProjectTenant,
)
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope


def record(
    *, cluster: Cluster, organization: Organization, report: InventoryReport, now: datetime
) -> list[str]:
    """Write an upload; return the projects that name no tenant, or belong to another one.

    Needs the organization's scope. Only platform and operator may map projects.
    """
    # What the future holds nobody has seen.
    at = min(report.at or now, now)
    authority = authority_of(cluster_id=cluster.pk)
    if not authority.asserts(organization_id=organization.pk, subject=Subject.NODES):
        at = now  # a claim is as old as its arrival: else it would fall into a former part
    # First: whoever maps holds the cluster, and takes nothing else before.
    unmapped = _record_projects(
        cluster=cluster, organization=organization, projects=report.projects
    )
    record_devices(cluster=cluster, organization_id=organization.pk, nodes=report.nodes, now=at)
    _record_links(cluster=cluster, organization_id=organization.pk, links=report.links)
    _record_mounts(cluster=cluster, organization_id=organization.pk, mounts=report.mounts)
    return unmapped


def _record_links(*, cluster: Cluster, organization_id: int, links: Sequence[LinkReport]) -> None:
    rows = {(short(name=each.host), each.device): each for each in links}
    Link.objects.bulk_create(
        [
            Link(
                organization_id=organization_id,
                cluster=cluster,
                host=host,
                device=device,
                switch=each.switch,
                port=each.port,
            )
            for (host, device), each in sorted(rows.items())
        ],
        update_conflicts=True,
        unique_fields=["organization", "cluster", "host", "device"],
        update_fields=["switch", "port"],
    )


def _record_mounts(
    *, cluster: Cluster, organization_id: int, mounts: Sequence[MountReport]
) -> None:
    rows = {each.path: each for each in mounts}
    Mount.objects.bulk_create(
        [
            Mount(
                organization_id=organization_id,
                cluster=cluster,
                path=path,
                server=each.server,
                hosts=[short(name=host) for host in each.hosts if host != "*"],
            )
            for path, each in sorted(rows.items())
        ],
        update_conflicts=True,
        unique_fields=["organization", "cluster", "path"],
        update_fields=["server", "hosts"],
    )


def _record_projects(
    *, cluster: Cluster, organization: Organization, projects: Mapping[str, str]
) -> list[str]:
    """Map projects to tenants of the cluster; opens the parties' scope. Return what names none."""
    if not projects:
        return []
    with organization_scope(*parties_of(cluster_id=cluster.pk)):
        parts = Participation.objects.filter(cluster=cluster)
        if not parts.filter(
            organization=organization,
            part__in=(ParticipationRole.OPERATOR, ParticipationRole.PLATFORM),
        ).exists():
            return sorted(projects)
        tenants = dict(
            parts.filter(part=ParticipationRole.TENANT).values_list(
                "organization__slug", "organization_id"
            )
        )
        # One that another tenant has stays there: with two owners its sessions had none.
        hold_map(cluster=cluster)
        former = ProjectTenant.objects.filter(cluster=cluster, project__in=projects)
        owners = dict(former.values_list("project", "organization_id"))
        known = {
            name: tenants[slug]
            for name, slug in projects.items()
            if slug in tenants and owners.get(name, tenants[slug]) == tenants[slug]
        }
        ProjectTenant.objects.bulk_create(
            [
                ProjectTenant(organization_id=owner, cluster=cluster, project=name)
                for name, owner in sorted(known.items())
            ],
            ignore_conflicts=True,
        )
    return sorted(set(projects) - set(known))
