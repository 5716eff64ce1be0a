"""JSON of operators → an inventory. What is no entry is named and left out."""

from collections.abc import Mapping
from typing import Any

from apps.diagnosis import zone_names
from apps.fleet.inventory import (
    DeviceReport,
    InventoryReport,
    LinkReport,
    MountReport,
    NodeReport,
)
from apps.telemetry.formats.lines.complaints import Complaints
from apps.telemetry.formats.schedulers.json_values import (
    SIMULATED,
    BadReport,
    each_report,
    list_of,
    number_of,
    object_of,
    require_known,
    required_text,
    text_of,
    time_of,
)

INVENTORY = ("cluster", "nodes", "links", "mounts", "projects", "at", SIMULATED)
NODE = ("name", "aliases", "zone", "devices")
DEVICE = (*("kind", "name", "index", "uuid", "pci", "serial", "netdev", "seen_from", "seen_until"),)
LINK, NEAR, FAR = ("a", "b"), ("host", "device"), ("switch", "port")
MOUNT = ("path", "server", "hosts")


def inventory_report(*, said: Mapping[str, Any], complaints: Complaints) -> InventoryReport:
    """Return what an inventory says; raise BadReport for a key that it has no place for."""
    require_known(said, INVENTORY)
    return InventoryReport(
        nodes=tuple(each_report(list_of(said, "nodes"), _node, complaints)),
        links=tuple(each_report(list_of(said, "links"), _link, complaints)),
        mounts=tuple(each_report(list_of(said, "mounts"), _mount, complaints)),
        projects={
            text_of(project): text_of(slug) for project, slug in object_of(said, "projects").items()
        },
        at=time_of(said),
    )


def _node(said: Mapping[str, Any]) -> NodeReport:
    require_known(said, NODE)
    zone = text_of(said.get("zone") or "")[:64]
    if zone and not zone_names.is_zone(name=zone):
        raise BadReport(f"`zone`: {zone_names.refusal(name=zone)}")
    return NodeReport(
        name=required_text(said, "name")[:253],
        aliases=tuple(text_of(alias)[:253] for alias in list_of(said, "aliases")),
        zone=zone,
        devices=tuple(map(_device, list_of(said, "devices"))),
    )


def _device(said: Any) -> DeviceReport:
    if not isinstance(said, dict):
        raise BadReport("an entry of `devices` must be an object")
    require_known(said, DEVICE)
    return DeviceReport(
        kind=required_text(said, "kind")[:16],
        name=text_of(said.get("name") or "")[:120],
        index=number_of(said, "index"),
        uuid=text_of(said.get("uuid") or "")[:64],
        pci=text_of(said.get("pci") or ""),
        serial=text_of(said.get("serial") or "")[:64],
        netdev=text_of(said.get("netdev") or "")[:60],
        seen_from=time_of(said, "seen_from"),
        seen_until=time_of(said, "seen_until"),
    )


def _link(said: Mapping[str, Any]) -> LinkReport:
    near, far = object_of(said, "a"), object_of(said, "b")
    for each, known in ((said, LINK), (near, NEAR), (far, FAR)):
        require_known(each, known)
    return LinkReport(
        host=required_text(near, "host")[:253],
        device=required_text(near, "device")[:120],
        switch=required_text(far, "switch")[:253],
        port=text_of(far.get("port") or "")[:60],
    )


def _mount(said: Mapping[str, Any]) -> MountReport:
    require_known(said, MOUNT)
    return MountReport(
        path=required_text(said, "path")[:500],
        server=required_text(said, "server")[:253],
        hosts=tuple(text_of(host)[:253] for host in list_of(said, "hosts")),
    )
