"""What operators upload and metric labels show → nodes, devices, links, mounts. Idempotent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from apps.fleet.hosts import short
from apps.fleet.models import (
    Cluster,
    Device,
    Link,
    Mount,
    Node,
    Part,
    Participation,
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


def record(
    *, cluster: Cluster, organization: Organization, report: InventoryReport, now: datetime
) -> list[str]:
    """Write an upload; return the projects that name no tenant of the cluster.

    Needs the organization's scope. Only platform and operator may map projects.
    """
    record_devices(cluster=cluster, organization_id=organization.pk, nodes=report.nodes, now=now)
    _record_links(cluster=cluster, organization_id=organization.pk, links=report.links)
    _record_mounts(cluster=cluster, organization_id=organization.pk, mounts=report.mounts)
    return _record_projects(cluster=cluster, organization=organization, projects=report.projects)


def record_devices(
    *, cluster: Cluster, organization_id: int, nodes: Sequence[NodeReport], now: datetime
) -> None:
    """Write nodes and their devices as labels or an upload show them. Needs the scope."""
    merged = {short(name=each.name): each for each in nodes}
    known = Node.objects.for_organization(organization_id).filter(cluster=cluster)
    former = {row.name: row for row in known.filter(name__in=merged)}
    Node.objects.bulk_create(
        [
            Node(
                organization_id=organization_id,
                cluster=cluster,
                name=name,
                aliases=_aliases(node, former.get(name)),
                zone=node.zone or (former[name].zone if name in former else ""),
                first_seen_at=now,
                last_seen_at=now,
            )
            for name, node in sorted(merged.items())
        ],
        update_conflicts=True,
        unique_fields=["organization", "cluster", "name"],
        update_fields=["aliases", "zone", "last_seen_at"],
    )
    rows = {row.name: row for row in known.filter(name__in=merged)}
    devices = [(rows[name], each) for name, node in merged.items() for each in node.devices]
    _record_devices(organization_id=organization_id, devices=devices, now=now)


def _aliases(node: NodeReport, former: Node | None) -> list[str]:
    said = {alias.strip().lower() for alias in (*node.aliases, node.name) if alias.strip()}
    return sorted((said | set(former.aliases if former else ())) - {short(name=node.name)})


def _record_devices(
    *, organization_id: int, devices: Sequence[tuple[Node, DeviceReport]], now: datetime
) -> None:
    rows = {_key(node, each): _device(organization_id, node, each, now) for node, each in devices}
    Device.objects.bulk_create(
        list(rows.values()),
        update_conflicts=True,
        unique_fields=["organization", "node", "kind", "index", "uuid", "name"],
        update_fields=["pci", "last_seen_at"],
    )
    _retire(organization_id=organization_id, devices=devices, now=now)


def _key(node: Node, device: DeviceReport) -> tuple[object, ...]:
    return (node.pk, device.kind, device.index, _uuid(device.uuid), device.name)


def _device(organization_id: int, node: Node, device: DeviceReport, now: datetime) -> Device:
    return Device(
        organization_id=organization_id,
        node=node,
        kind=device.kind,
        name=device.name,
        index=device.index,
        uuid=_uuid(device.uuid),
        pci=pci_address(text=device.pci),
        first_seen_at=now,
        last_seen_at=now,
    )


def _retire(
    *, organization_id: int, devices: Sequence[tuple[Node, DeviceReport]], now: datetime
) -> None:
    """Mark parts whose place another part with a UUID of its own has taken."""
    places = {(n.pk, d.kind, d.index): _uuid(d.uuid) for n, d in devices if d.uuid}
    own = Device.objects.for_organization(organization_id)
    seated = own.filter(node__in={node.pk for node, _ in devices}, replaced_at=None)
    gone = [
        row.pk
        for row in seated.exclude(uuid="").exclude(index=None)
        if places.get((row.node_id, row.kind, row.index), row.uuid) != row.uuid
    ]
    own.filter(pk__in=gone).update(replaced_at=now)


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
            organization=organization, part__in=(Part.OPERATOR, Part.PLATFORM)
        ).exists():
            return sorted(projects)
        tenants = dict(
            parts.filter(part=Part.TENANT).values_list("organization__slug", "organization_id")
        )
        known = {name: tenants[slug] for name, slug in projects.items() if slug in tenants}
        ProjectTenant.objects.bulk_create(
            [
                ProjectTenant(organization_id=owner, cluster=cluster, project=name)
                for name, owner in sorted(known.items())
            ],
            ignore_conflicts=True,
        )
    return sorted(set(projects) - set(known))
