"""Nodes and their devices, as labels or an upload show them → rows."""

from collections.abc import Sequence
from datetime import datetime

from apps.fleet.devices.observation import DeviceObservation
from apps.fleet.devices.observation_rows import record_sightings
from apps.fleet.hosts.host_names import short
from apps.fleet.inventory.inventory_report import DeviceReport, NodeReport
from apps.fleet.models import (
    Cluster,
    Node,
)


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
        pci=_pci_address(text=device.pci),
        # A GPU's name is that of its model: many share it.
        name="" if is_gpu else device.name,
        model=device.name if is_gpu else "",
        netdev=device.netdev,
        starts_at=min(device.seen_from or ends_at, ends_at),
        ends_at=ends_at,
    )


def _uuid(text: str) -> str:
    return text.lower().removeprefix("gpu-")


def _pci_address(*, text: str) -> str:
    """Return `dddd:bb:dd.f` in lower case for the spellings of drivers; others as they are."""
    parts = text.strip().lower().split(":")
    if len(parts) == 2:
        parts = ["0000", *parts]
    if len(parts) != 3 or not parts[0]:
        return text.strip().lower()[:20]
    domain, bus, rest = parts
    function = rest if "." in rest else f"{rest}.0"
    return f"{domain[-4:].zfill(4)}:{bus}:{function}"[:20]
