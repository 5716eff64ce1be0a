"""Which part a piece of evidence is about."""

from collections.abc import Mapping
from dataclasses import replace

from apps.diagnosis.input_values import rank_number
from apps.diagnosis.model import Device, Evidence, Topology


def part_of(kind: str, evidence: Evidence, topology: Topology) -> Device | None:
    """Return the part of a kind that evidence is about, None where it names none."""
    if evidence.anomaly is not None:
        return evidence.anomaly.entity
    if kind == "gpu":
        return _nvswitch(evidence) or _gpu(evidence, topology)
    if kind in {"server", "mount"}:
        return _shared(kind, fields_of(evidence), topology)
    if kind in {"rank", "process"}:
        return _process(kind, evidence, topology)
    here = Device(kind=kind, host=evidence.host) if evidence.host else None
    return _nic(evidence) if here and kind == "nic" else here


def fields_of(evidence: Evidence) -> Mapping[str, str]:
    """Return what the line of evidence says."""
    return evidence.event.fields if evidence.event else {}


def rank_of(evidence: Evidence) -> int | None:
    """Return the rank that evidence is of, by its words, else by who printed it."""
    named = rank_number(fields_of(evidence).get("rank"))
    if named is not None:
        return named
    line = evidence.event.line if evidence.event else None
    if line is None:
        return None
    return line.rank if line.rank is not None else line.origin.rank


def _shared(kind: str, fields: Mapping[str, str], topology: Topology) -> Device | None:
    path = fields.get("path", "")
    mount = max((m for m in topology.mounts if path.startswith(m)), key=len, default=None)
    server = fields.get("server") or fields.get("target")
    if server:
        return Device(kind=kind, name=server)
    # Who serves a path is not known by it: it is no server, and no more than a path.
    told = mount or path
    return Device(kind="mount" if kind == "server" else kind, name=told) if told else None


def _nic(evidence: Evidence) -> Device:
    fields = fields_of(evidence)
    name = fields.get("dev") or fields.get("ifname") or fields.get("netdev")
    return Device(kind="nic", host=evidence.host, name=name, pci=address(fields.get("pci")))


def _nvswitch(evidence: Evidence) -> Device | None:
    """Return the NVSwitch that a line is about: its address is no GPU's."""
    fields = fields_of(evidence)
    if not fields.get("sxid"):
        return None
    at = address(fields.get("pci"))
    return Device(kind="nvswitch", host=evidence.host, name=fields.get("sw"), pci=at)


def _process(kind: str, evidence: Evidence, topology: Topology) -> Device | None:
    number = rank_of(evidence)
    if number is None and evidence.host is not None:
        # What a host prints without a rank is of the only rank that is known to be there.
        there = {one.rank for one in topology.placements if one.host == evidence.host}
        number = min(there) if len(there) == 1 else None
    if evidence.host is None and number is None:
        return None
    return Device(kind=kind, host=evidence.host, rank=number)


def _gpu(evidence: Evidence, topology: Topology) -> Device | None:
    fields = fields_of(evidence)
    pci, rank = address(fields.get("pci")), rank_of(evidence)
    known = _placed(evidence.host, pci, rank, topology)
    if known is not None:
        return known
    if evidence.host is None and pci is None and rank is None:
        return None
    ordinal = evidence.event.line.gpu if evidence.event else None
    return Device(
        kind="gpu",
        host=evidence.host,
        rank=rank,
        index=ordinal,
        uuid=fields.get("uuid"),
        pci=pci,
    )


def _placed(
    host: str | None, pci: str | None, rank: int | None, topology: Topology
) -> Device | None:
    """Return the GPU as the topology knows it, by its address, else by its rank."""
    for place in topology.placements:
        is_at_address = pci is not None and place.host == host and address(place.pci) == pci
        if is_at_address or (pci is None and rank is not None and place.rank == rank):
            return Device(
                kind="gpu",
                host=place.host,
                rank=place.rank,
                index=place.gpu,
                uuid=place.uuid,
                pci=pci or address(place.pci),
            )
    for device in topology.devices:
        is_same = device.kind == "gpu" and device.host == host and address(device.pci) == pci
        if pci and is_same:
            return replace(device, rank=rank)
    return None


def address(pci: str | None) -> str | None:
    """Return a PCI address as `dddd:bb:dd.f`, from any notation."""
    if not pci:
        return None
    parts = pci.lower().split(":")
    if len(parts) == 2:
        parts = ["0000", *parts]
    if len(parts) != 3:
        return pci.lower()
    domain, bus, rest = parts
    return f"{domain[-4:].zfill(4)}:{bus.zfill(2)}:{rest if '.' in rest else rest + '.0'}"
