"""Inventory out of labels: the hosts, GPUs and ports that a source speaks of."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from apps.diagnosis.metrics.identity import ADDRESS
from apps.diagnosis.model import Device, Frame
from apps.fleet.inventory import DeviceReport, NodeReport, record_devices
from apps.telemetry.models import SeriesState, Source

# The same parts as last time are written again only so often, to keep `last_seen_at` honest.
EVERY: Final = timedelta(minutes=10)
NAME: Final = "#inventory"
PARTS: Final = frozenset({"gpu", "nic"})


def record(*, source: Source, frames: Iterable[Frame], now: datetime) -> bool:
    """Write what the frames name, if it is new or some time has passed. Needs the scope."""
    nodes = nodes_of(frames=frames)
    digest = hashlib.blake2b(repr(nodes).encode(), digest_size=16).digest()
    rows = SeriesState.objects.for_organization(source.organization_id)
    last = rows.filter(source=source, signal=NAME).first()
    is_known = last is not None and bytes(last.body) == digest and now - last.until < EVERY
    if not nodes or is_known:
        return False
    record_devices(
        cluster=source.cluster, organization_id=source.organization_id, nodes=nodes, now=now
    )
    rows.update_or_create(
        organization_id=source.organization_id,
        source=source,
        signal=NAME,
        defaults={"until": now, "body": digest},
    )
    return True


def nodes_of(*, frames: Iterable[Frame]) -> tuple[NodeReport, ...]:
    """Return each host with its parts, every part once with all that was said of it."""
    hosts: dict[str, dict[tuple[str, int, str], Device]] = defaultdict(dict)
    for frame in frames:
        for device in frame.entities:
            if not device.host or ADDRESS.fullmatch(device.host):
                # An address is another name of a host: a node of that name would be a double.
                continue
            parts = hosts[device.host]
            if device.kind in PARTS:
                key = (device.kind, -1 if device.index is None else device.index, device.name or "")
                former = parts.get(key)
                if former is None or (device.uuid and not former.uuid):
                    parts[key] = device
    return tuple(
        NodeReport(
            name=host,
            devices=tuple(
                DeviceReport(
                    kind=part.kind,
                    name=part.name or "",
                    index=part.index,
                    uuid=part.uuid or "",
                    pci=part.pci or "",
                )
                for _, part in sorted(parts.items())
            ),
        )
        for host, parts in sorted(hosts.items())
    )
