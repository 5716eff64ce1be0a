"""What operators upload and metric labels show → nodes, devices, links, mounts. Idempotent."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from apps.fleet.authority.project_owners import hold_map
from apps.fleet.authority.rules import (
    SenderStanding,
    Subject,
    authority_of,
    refusal,
    subject_of_device,
)
from apps.fleet.devices.observation import DeviceObservation
from apps.fleet.devices.observation_rows import record_sightings
from apps.fleet.hosts.host_names import short
from apps.fleet.models import (
    Cluster,
    Link,
    Mount,
    Node,
    Participation,
    ParticipationRole,
    ProjectTenant,
)
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceReport:
    """A part of a node as somebody saw it. Empty and None: not said."""

    kind: str
    name: str = ""
    index: int | None = None
    uuid: str = ""
    pci: str = ""
    serial: str = ""
    netdev: str = ""  # network interface of a NIC
    seen_from: datetime | None = None  # over which span; None: at the time of the report
    seen_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeReport:
    """A node as somebody saw it."""

    name: str
    aliases: tuple[str, ...] = ()
    zone: str = ""
    devices: tuple[DeviceReport, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkReport:
    """A cable: device of a host to port of a switch."""

    host: str
    device: str
    switch: str
    port: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MountReport:
    """A file system; no hosts: every node."""

    path: str
    server: str
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InventoryReport:
    """Everything one upload says."""

    nodes: tuple[NodeReport, ...] = ()
    links: tuple[LinkReport, ...] = ()
    mounts: tuple[MountReport, ...] = ()
    projects: Mapping[str, str] = field(default_factory=dict)  # project → organization slug
    at: datetime | None = None  # when that was so; None: when it was received

    @property
    def count(self) -> int:
        """How many entries it has."""
        return sum(len(each) for each in (self.nodes, self.links, self.mounts, self.projects))


@dataclass(frozen=True, slots=True, kw_only=True)
class Permitted:
    """What of a report its sender's part may say, and how many entries are left out by subject."""

    report: InventoryReport
    parts: tuple[ParticipationRole, ...]
    refused: Mapping[Subject, int]

    def why(self, subject: Subject) -> str:
        """Return why entries are left out, from the sender's part alone."""
        return refusal(parts=self.parts, subject=subject)


def permitted(
    *, cluster: Cluster, organization: Organization, report: InventoryReport
) -> Permitted:
    """Return what a party's part lets it say of an inventory. Needs its scope.

    A vendor's word about its own devices comes with the names of their hosts, and nothing else.
    """
    authority = authority_of(cluster_id=cluster.pk)

    def may(subject: Subject) -> bool:
        said = authority.standing(organization_id=organization.pk, subject=subject)
        return said is not SenderStanding.REFUSED

    refused: Counter[Subject] = Counter()
    nodes = []
    for node in report.nodes:
        kinds = [subject_of_device(kind=each.kind) for each in node.devices]
        devices = tuple(each for each, kind in zip(node.devices, kinds, strict=True) if may(kind))
        is_whole = may(Subject.NODES)
        refused.update(kind for kind in kinds if not may(kind))
        if not is_whole and (node.aliases or node.zone or not node.devices):
            refused[Subject.NODES] += 1
        if is_whole or devices:
            kept = node if is_whole else NodeReport(name=node.name)
            nodes.append(replace(kept, devices=devices))
    for subject, entries in (
        (Subject.LINKS, report.links),
        (Subject.MOUNTS, report.mounts),
        (Subject.PROJECTS, report.projects),
    ):
        refused[subject] += 0 if may(subject) else len(entries)
    return Permitted(
        parts=authority.parts(organization_id=organization.pk),
        refused={subject: count for subject, count in sorted(refused.items()) if count},
        report=replace(
            report,
            nodes=tuple(nodes),
            links=report.links if may(Subject.LINKS) else (),
            mounts=report.mounts if may(Subject.MOUNTS) else (),
            projects=report.projects if may(Subject.PROJECTS) else {},
        ),
    )


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


def record_devices(
    *, cluster: Cluster, organization_id: int, nodes: Sequence[NodeReport], now: datetime
) -> None:
    """Write nodes and their devices as labels or an upload show them. Needs the scope."""
    merged = {short(name=each.name): each for each in nodes}
    known = Node.objects.for_organization(organization_id).filter(cluster=cluster)
    former = {row.name: row for row in known.filter(name__in=merged)}
    Node.objects.bulk_create(
        [
            _node(
                Node(organization_id=organization_id, cluster=cluster, name=name),
                said=node,
                former=former.get(name),
                now=now,
            )
            for name, node in sorted(merged.items())
        ],
        update_conflicts=True,
        unique_fields=["organization", "cluster", "name"],
        update_fields=["aliases", "zone", "first_seen_at", "last_seen_at"],
    )
    sightings = [
        _seen(host=name, device=each, now=now)
        for name, node in sorted(merged.items())
        for each in node.devices
    ]
    record_sightings(
        cluster_id=cluster.pk,
        organization_id=organization_id,
        nodes={row.name: row for row in known.filter(name__in=merged)},
        sightings=[seen for seen in sightings if seen.names],
    )


def _node(row: Node, *, said: NodeReport, former: Node | None, now: datetime) -> Node:
    row.aliases = _aliases(said, former)
    row.zone = said.zone or (former.zone if former else "")
    row.first_seen_at = min(former.first_seen_at, now) if former else now
    row.last_seen_at = max(former.last_seen_at, now) if former else now
    return row


def _aliases(node: NodeReport, former: Node | None) -> list[str]:
    said = {alias.strip().lower() for alias in (*node.aliases, node.name) if alias.strip()}
    return sorted((said | set(former.aliases if former else ())) - {short(name=node.name)})


def _seen(*, host: str, device: DeviceReport, now: datetime) -> DeviceObservation:
    is_gpu = device.kind == "gpu"
    ends_at = min(device.seen_until or now, now)
    return DeviceObservation(
        host=host,
        kind=device.kind,
        index=device.index,
        uuid=_uuid(device.uuid),
        serial=device.serial.strip(),
        pci=pci_address(text=device.pci),
        # A GPU's name is that of its model: many share it.
        name="" if is_gpu else device.name,
        model=device.name if is_gpu else "",
        netdev=device.netdev,
        starts_at=min(device.seen_from or ends_at, ends_at),
        ends_at=ends_at,
    )


def _uuid(text: str) -> str:
    return text.lower().removeprefix("gpu-")


def pci_address(*, text: str) -> str:
    """Return `dddd:bb:dd.f` in lower case for the spellings of drivers; others as they are."""
    parts = text.strip().lower().split(":")
    if len(parts) == 2:
        parts = ["0000", *parts]
    if len(parts) != 3 or not parts[0]:
        return text.strip().lower()[:20]
    domain, bus, rest = parts
    function = rest if "." in rest else f"{rest}.0"
    return f"{domain[-4:].zfill(4)}:{bus}:{function}"[:20]


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
