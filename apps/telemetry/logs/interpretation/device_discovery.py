"""Boards that kernels name when a driver starts: which UUID sits at which PCI address, and when."""

from collections.abc import Iterable, Mapping

from apps.diagnosis.detection.metrics.identity import pci_address
from apps.fleet.devices.observation import DeviceObservation
from apps.fleet.devices.observation_rows import record_sightings
from apps.fleet.hosts.host_names import resolve
from apps.fleet.models import Node
from apps.telemetry.logs.interpretation.stream_update import Work
from apps.telemetry.models import Event


def record(
    *,
    organization_id: int,
    cluster_id: int,
    works: Iterable[Work],
    aliases: Mapping[str, str],
) -> None:
    """Write what new kernel lines tell of boards in nodes that are known. Needs the scope."""
    seen = [
        found
        for work in works
        if work.stream.kind == "kernel"
        for row in work.events
        if (found := _seen(row, work.stream.host, aliases)) is not None
    ]
    if not seen:
        return
    own = Node.objects.for_organization(organization_id).filter(cluster=cluster_id)
    nodes = {node.name: node for node in own.filter(name__in={each.host for each in seen})}
    record_sightings(
        cluster_id=cluster_id,
        organization_id=organization_id,
        nodes=nodes,
        sightings=[each for each in seen if each.host in nodes],
    )


def _seen(row: Event, host: str, aliases: Mapping[str, str]) -> DeviceObservation | None:
    fields = row.body.get("fields") or {}
    uuid, pci = fields.get("uuid", ""), pci_address(fields.get("pci", ""))
    name = resolve(name=row.host or host, aliases=aliases)
    if not uuid or not pci or not name or row.at is None:
        return None
    return DeviceObservation(
        host=name, kind="gpu", uuid=uuid, pci=pci, starts_at=row.at, ends_at=row.at
    )
