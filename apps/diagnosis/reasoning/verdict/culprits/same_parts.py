"""Several names of one part: by what they are the same, and what they know of it together."""

import re
from collections.abc import Sequence
from dataclasses import replace

from apps.diagnosis.model import Device, Topology
from apps.diagnosis.reasoning.verdict.culprits.evidence_parts import address

INTERFACE = re.compile(
    r"en(?:p|P0p)(?P<bus>\d{1,3})s(?P<slot>\d{1,2})(?:f(?P<function>[0-7]))?(?:np\d+)?"
)
# Parts that some host has.
OF_HOSTS = frozenset({"gpu", "nic", "nvswitch"})


def with_known_names(device: Device, topology: Topology) -> Device:
    """Return a part by all the names under which the topology knows it."""
    device = _plain(replace(device, pci=address(device.pci) or _bus_of(device)))
    for known in topology.devices:
        if (known.kind, known.host) != (device.kind, device.host):
            continue
        known_at = _plain(replace(known, pci=address(known.pci), name=_lasting_name(known)))
        if _is_same(device, known_at):
            # An adapter is called by its RDMA name, whatever the system calls its interface.
            renamed = replace(device, name=known_at.name or device.name)
            device = _both(renamed if device.kind == "nic" else device, known_at)
    for place in topology.placements if device.kind == "gpu" else ():
        placed = Device(
            kind="gpu",
            host=place.host,
            rank=place.rank,
            index=place.gpu,
            uuid=place.uuid,
            pci=address(place.pci),
        )
        if _is_same(device, placed):
            device = _both(device, placed)
    return device


def _plain(device: Device) -> Device:
    """Leave out the number of a part where numbers are no names, as with adapters."""
    return device if device.kind == "gpu" else replace(device, index=None)


def _lasting_name(known: Device) -> str | None:
    """Return the name by which a part is blamed; a GPU's is that of its model."""
    return known.name if known.kind == "nic" else None


def _bus_of(device: Device) -> str | None:
    """Return the address that a predictable interface name spells: enp64s0np0 → 0000:40:00.0."""
    match = INTERFACE.fullmatch(device.name or "") if device.kind == "nic" else None
    if match is None:
        return None
    return f"0000:{int(match['bus']):02x}:{int(match['slot']):02x}.{match['function'] or 0}"


def _is_same(one: Device, other: Device) -> bool:
    """Say whether two descriptions share a name of the part and contradict each other in none."""
    if (one.kind, one.host) != (other.kind, other.host):
        return False
    pairs = [
        (one.pci, other.pci),
        (one.uuid, other.uuid),
        (one.index, other.index),
        (one.rank, other.rank),
    ]
    known = [(mine, theirs) for mine, theirs in pairs if mine is not None and theirs is not None]
    if any(mine != theirs for mine, theirs in known):
        return False
    is_named_alike = one.name is not None and one.name == other.name
    return bool(known) or is_named_alike


def _both(one: Device, other: Device) -> Device:
    """Return a part with what either description knows of it."""
    return replace(
        one,
        rank=one.rank if one.rank is not None else other.rank,
        index=one.index if one.index is not None else other.index,
        uuid=one.uuid or other.uuid,
        pci=one.pci or other.pci,
        name=one.name or other.name,
    )


def _are_both_of_host(one: Device, other: Device) -> bool:
    """Say whether both name no part of hardware: the strongest evidence says which rank it was."""
    parts = (one.pci, one.uuid, one.name, other.pci, other.uuid, other.name)
    has_index = one.index is not None or other.index is not None
    return one.host == other.host and not any(parts) and not has_index


def merge_parts(devices: Sequence[Device]) -> list[Device]:
    """Return each part once, in the order of its first naming.

    Only parts of one host can be one: a log that names thousands of hosts is not compared pairwise.
    """
    merged: list[Device] = []
    of_host: dict[str | None, list[int]] = {}
    for device in devices:
        own = of_host.setdefault(device.host, [])
        for position in own:
            known = merged[position]
            if _is_same(known, device) or _are_both_of_host(known, device):
                merged[position] = _both(known, device) if _is_same(known, device) else known
                break
        else:
            own.append(len(merged))
            merged.append(device)
    return merged


def place_parts(devices: Sequence[Device]) -> list[Device]:
    """Put what a line without a host says of a part onto the one part of a host it can mean."""
    placed = [one for one in devices if one.host is not None or one.kind not in OF_HOSTS]
    for device in devices:
        if device.host is not None or device.kind not in OF_HOSTS:
            continue
        meant = [i for i, one in enumerate(placed) if _is_same(one, replace(device, host=one.host))]
        if len(meant) == 1:
            placed[meant[0]] = _both(placed[meant[0]], device)
        else:
            placed.append(device)
    return placed


def keep_narrowest(devices: Sequence[Device]) -> list[Device]:
    """Drop a bare host where one of its parts is named."""
    with_part = {device.host for device in devices if _has_part(device)}
    return [one for one in devices if one.host not in with_part or _has_part(one)]


def _has_part(device: Device) -> bool:
    return bool(device.pci or device.name) or device.index is not None or device.rank is not None
