"""Between rank and explain: which parts a hypothesis blames, as narrowly as its evidence allows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from apps.diagnosis.causes.load import Cause
from apps.diagnosis.model import Device, Evidence, Hypothesis, Topology

MOST = 8
# Parts of no single host.
SHARED = frozenset({"server", "mount", "program"})


def culprits(
    *, cause: Cause, hypothesis: Hypothesis, hosts: Sequence[str], topology: Topology
) -> tuple[Device, ...]:
    """Return the parts to blame: the kind the cause names, on the hosts of its evidence."""
    found: dict[tuple[str, str, str], Device] = {}
    for evidence in hypothesis.supporting:
        if evidence.host and evidence.host not in hosts:
            continue
        device = _device(cause.culprit, evidence, topology)
        if device is not None:
            key = (device.host or "", device.pci or "", device.name or "")
            found.setdefault(key, device)
    named = _narrowest(list(found.values()))
    covered = {device.host for device in named}
    rest = [Device(kind="node", host=host) for host in hosts if host not in covered]
    return tuple([*named, *(rest if cause.culprit not in SHARED else ())][:MOST])


def _narrowest(devices: Sequence[Device]) -> list[Device]:
    """Drop a bare host where one of its parts is named."""
    with_part = {device.host for device in devices if _has_part(device)}
    return [one for one in devices if one.host not in with_part or _has_part(one)]


def _has_part(device: Device) -> bool:
    return bool(device.pci or device.name) or device.index is not None or device.rank is not None


def _device(kind: str, evidence: Evidence, topology: Topology) -> Device | None:
    if evidence.anomaly is not None:
        return evidence.anomaly.entity
    if kind == "gpu":
        return _gpu(evidence, topology)
    if kind in {"server", "mount"}:
        return _shared(kind, _fields(evidence), topology)
    if kind in {"rank", "process"}:
        return _process(kind, evidence)
    here = Device(kind=kind, host=evidence.host) if evidence.host else None
    return _nic(evidence) if here and kind == "nic" else here


def _fields(evidence: Evidence) -> Mapping[str, str]:
    return evidence.event.fields if evidence.event else {}


def _rank(evidence: Evidence) -> int | None:
    named = _fields(evidence).get("rank", "")
    if named.isdigit():
        return int(named)
    line = evidence.event.line if evidence.event else None
    if line is None:
        return None
    return line.rank if line.rank is not None else line.origin.rank


def _shared(kind: str, fields: Mapping[str, str], topology: Topology) -> Device | None:
    path = fields.get("path", "")
    mount = max((m for m in topology.mounts if path.startswith(m)), key=len, default=None)
    name = fields.get("server") or fields.get("target") or mount or path
    return Device(kind=kind, name=name) if name else None


def _nic(evidence: Evidence) -> Device:
    fields = _fields(evidence)
    name = fields.get("dev") or fields.get("ifname") or fields.get("netdev")
    return Device(kind="nic", host=evidence.host, name=name, pci=address(fields.get("pci")))


def _process(kind: str, evidence: Evidence) -> Device | None:
    number = _rank(evidence)
    if evidence.host is None and number is None:
        return None
    return Device(kind=kind, host=evidence.host, rank=number)


def _gpu(evidence: Evidence, topology: Topology) -> Device | None:
    fields = _fields(evidence)
    pci, rank = address(fields.get("pci")), _rank(evidence)
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
