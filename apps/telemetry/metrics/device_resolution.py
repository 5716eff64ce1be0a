"""Parts of a source's series under all their names: by the record of that time, and each other.

What stands here only speeds things up: another process works out the same.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import numpy as np

from apps.diagnosis.detection.metrics.frames import Unifier
from apps.diagnosis.detection.metrics.identity import RESOLVED, NamedDevice, resolver_of
from apps.diagnosis.model import Device, Frame
from apps.fleet.devices.placement_queries import roster_of
from apps.fleet.models import Node
from apps.telemetry.models import Source

# The record is read again so often; what a source itself tells counts at once.
EVERY: Final = timedelta(minutes=10)
# What had no sample in the last columns may be gone, and its place another's.
TAIL: Final = 3
MOST_SOURCES: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceRecord:
    """What was on record of a cluster's parts at some time."""

    at: datetime
    parts: tuple[NamedDevice, ...] = ()
    hosts: frozenset[str] = frozenset()

    def says_as(self, other: "DeviceRecord") -> bool:
        """Say whether two records name the same parts."""
        return (self.parts, self.hosts) == (other.parts, other.hosts)


@dataclass(slots=True, kw_only=True)
class _Kept:
    record: DeviceRecord
    told: frozenset[Device]
    tables: dict[int, tuple[Device, ...]]  # tables in which nobody was new
    unifier: Unifier


_records: OrderedDict[int, DeviceRecord] = OrderedDict()
_kept: OrderedDict[int, _Kept] = OrderedDict()


def record_of(*, source: Source, at: datetime) -> DeviceRecord:
    """Return what the source's owner has on record, read a short while ago. Needs the scope."""
    known = _records.pop(source.pk, None)
    if known is None or abs(at - known.at) >= EVERY:
        nodes = Node.objects.for_organization(source.organization_id)
        roster = roster_of(cluster_id=source.cluster_id, reader_id=source.organization_id)
        known = DeviceRecord(
            at=at,
            parts=tuple(
                NamedDevice(device=_plain(found.device), alias=found.netdev)
                for found in roster.parts(at=at)
                if found.device.kind in RESOLVED
            ),
            hosts=frozenset(nodes.filter(cluster=source.cluster_id).values_list("name", flat=True)),
        )
    _records[source.pk] = known
    if len(_records) > MOST_SOURCES:
        _records.popitem(last=False)
    return known


def forget(*, source: Source) -> None:
    """Read the record again with the next pull: it has changed."""
    _records.pop(source.pk, None)


def unified(*, source: Source, frames: Sequence[Frame], record: DeviceRecord) -> tuple[Frame, ...]:
    """Return the frames with each part under all its names that are known."""
    kept = _kept.pop(source.pk, None)
    if kept is None or not kept.record.says_as(record) or _told(frames, kept):
        told = frozenset(_told(frames, None))
        resolver = resolver_of(told=sorted(told, key=str), known=record.parts, hosts=record.hosts)
        kept = _Kept(record=record, told=told, tables={}, unifier=Unifier(resolver=resolver))
    kept.tables |= {id(frame.entities): frame.entities for frame in frames}
    _kept[source.pk] = kept
    if len(_kept) > MOST_SOURCES:
        _kept.popitem(last=False)
    return kept.unifier.unify(frames)


def _told(frames: Sequence[Frame], kept: _Kept | None) -> set[Device]:
    """Return the parts that are there now, of those that nobody knew before."""
    found: set[Device] = set()
    for frame in frames:
        is_kept = kept is not None and kept.tables.get(id(frame.entities)) is frame.entities
        if frame.signal.entity not in RESOLVED or is_kept:
            continue
        is_there = ~np.isnan(frame.values[:, -TAIL:]).all(axis=1)
        found |= {frame.entities[row] for row in np.flatnonzero(is_there).tolist()}
    return found - kept.told if kept is not None else found


def _plain(device: Device) -> Device:
    """Return a device without the name of its model, which is no name of its own."""
    if device.kind != "gpu":
        return device
    return Device(
        kind="gpu", host=device.host, index=device.index, uuid=device.uuid, pci=device.pci
    )
