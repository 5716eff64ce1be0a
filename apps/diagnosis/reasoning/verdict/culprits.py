"""Between rank and explain: which parts a hypothesis blames, as narrowly as its evidence allows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from apps.diagnosis.causes.load import Cause
from apps.diagnosis.input_values import rank_number
from apps.diagnosis.model import Device, Evidence, Hypothesis, Mark, Stream, Topology
from apps.diagnosis.signatures.marks import marked

MOST = 8
INTERFACE = re.compile(
    r"en(?:p|P0p)(?P<bus>\d{1,3})s(?P<slot>\d{1,2})(?:f(?P<function>[0-7]))?(?:np\d+)?"
)
# A disk inside the host, whatever the file system on it is called.
LOCAL_DISK = marked(Mark.LOCAL_DISK)
# Where distributions and vendors put the disks and the memory of the host itself.
INSIDE = re.compile(
    r"/(?:local|tmp|var|nvme|ssd|raid|disk\d|dev/shm|mnt/(?:local|nvme|ssd|raid|resource))"
    r"[\w-]{0,40}(?:/|$)",
    re.ASCII,
)
# The host's own on some clusters, shared on others.
EITHER = re.compile(r"/scratch(?:/|$)", re.ASCII)
FULL = "disk-full"
# Parts of no single host.
SHARED = frozenset({"server", "mount", "program"})
# Parts that some host has.
OF_HOSTS = frozenset({"gpu", "nic", "nvswitch"})
# What a process sees of the host it runs on.
SEEN_BY_PROCESSES = frozenset({"node", "gpu"})


def culprits(
    *,
    cause: Cause,
    hypothesis: Hypothesis,
    hosts: Sequence[str],
    topology: Topology,
    left_on: str | None = None,
    is_shared: bool = False,
) -> tuple[Device, ...]:
    """Return the parts to blame: the kind the cause names, on the hosts of its evidence.

    `left_on` is the only host where a process left with an error of its own, all others having
    been ended: an error that says neither host nor rank is of that process. `is_shared`: most ranks
    failed alike, so that none of them is to blame.
    """
    if is_shared and cause.culprit == "rank":
        return ()
    if left_on and not hosts and cause.culprit in SEEN_BY_PROCESSES and _is_anonymous(hypothesis):
        return (Device(kind="node", host=left_on),)
    found: list[Device] = []
    kind, own_disks = cause.culprit, _own_disks(hypothesis)
    for evidence in hypothesis.supporting:
        if evidence.host and evidence.host not in hosts:
            continue
        is_own = kind in {"server", "mount"} and evidence.host in own_disks
        device = _device("node" if is_own else kind, evidence, topology)
        if device is not None:
            host = _host_of_path(cause, device, evidence, hosts or [left_on] * bool(left_on))
            found.append(_as_known(replace(device, host=device.host or host), topology))
    named = _narrowest(_seated(_merged(found)))
    covered = {device.host for device in named}
    rest = [Device(kind="node", host=host) for host in hosts if host not in covered]
    # What only one host misses is that host, unless a shared part is named.
    is_shared = cause.culprit in SHARED and (bool(named) or len(hosts) != 1)
    return tuple([*named, *(() if is_shared else rest)][:MOST])


def _host_of_path(
    cause: Cause, device: Device, evidence: Evidence, hosts: Sequence[str | None]
) -> str | None:
    """Return the host on which a path is, if it is on one.

    A path is the same to all who share it; what one host alone can't read is on it. A file system
    that is full is so for all: there its name has to tell that it is inside the host, or be one of
    those that are either. A mount that the inventory knows is called by itself, not by the path.
    """
    path = _fields(evidence).get("path")
    if path is None or device.name != path or len(hosts) != 1:
        return None
    is_inside = INSIDE.match(path) or EITHER.match(path)
    return hosts[0] if cause.slug != FULL or is_inside else None


def _is_anonymous(hypothesis: Hypothesis) -> bool:
    """Say whether lines speak for it, all of sessions, and none says where or of which rank."""
    told = hypothesis.supporting
    return bool(told) and all(
        one.event is not None
        and one.host is None
        and _rank(one) is None
        and (one.event.line.origin.stream or one.event.line.stream) in {Stream.SESSION, None}
        for one in told
    )


def _own_disks(hypothesis: Hypothesis) -> frozenset[str]:
    """Return the hosts whose own disks failed: what their files miss is no server's fault."""
    return frozenset(
        one.host
        for one in hypothesis.supporting
        if one.host and one.event and one.event.signature in LOCAL_DISK
    )


def _as_known(device: Device, topology: Topology) -> Device:
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


def _merged(devices: Sequence[Device]) -> list[Device]:
    """Return each part once, in the order of its first naming."""
    merged: list[Device] = []
    for device in devices:
        for position, known in enumerate(merged):
            if _is_same(known, device) or _are_both_of_host(known, device):
                merged[position] = _both(known, device) if _is_same(known, device) else known
                break
        else:
            merged.append(device)
    return merged


def _seated(devices: Sequence[Device]) -> list[Device]:
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
        return _nvswitch(evidence) or _gpu(evidence, topology)
    if kind in {"server", "mount"}:
        return _shared(kind, _fields(evidence), topology)
    if kind in {"rank", "process"}:
        return _process(kind, evidence)
    here = Device(kind=kind, host=evidence.host) if evidence.host else None
    return _nic(evidence) if here and kind == "nic" else here


def _fields(evidence: Evidence) -> Mapping[str, str]:
    return evidence.event.fields if evidence.event else {}


def _rank(evidence: Evidence) -> int | None:
    named = rank_number(_fields(evidence).get("rank"))
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
    fields = _fields(evidence)
    name = fields.get("dev") or fields.get("ifname") or fields.get("netdev")
    return Device(kind="nic", host=evidence.host, name=name, pci=address(fields.get("pci")))


def _nvswitch(evidence: Evidence) -> Device | None:
    """Return the NVSwitch that a line is about: its address is no GPU's."""
    fields = _fields(evidence)
    if not fields.get("sxid"):
        return None
    at = address(fields.get("pci"))
    return Device(kind="nvswitch", host=evidence.host, name=fields.get("sw"), pci=at)


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
