"""Which part a set of findings blames: the GPU or adapter, the node, or what hosts share."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from apps.diagnosis.detection.fusion.findings import Finding, score_of, strongest
from apps.diagnosis.detection.fusion.rules import SHARED_HOSTS
from apps.diagnosis.detection.known_detectors import kind_named
from apps.diagnosis.model import Device, Layer, PeerGroup, Topology

# Parts of one host that are off together are off because of the host.
PARTS_OF_A_HOST = 3
# Most of the findings on adapters name one switch, or one rail.
MOST = 0.8
# Families that say that packets were lost on the way.
LOSSES = frozenset({"rdma-retries"})


def blamed_part(host: str, findings: Sequence[Finding]) -> Device:
    """Return the part of a host that its findings blame most, or the node."""
    node = Device(kind="node", host=host)
    parts: dict[Device, list[Finding]] = {}
    for each in findings:
        if each.anomaly.entity.kind != "node":
            parts.setdefault(_same(each.anomaly.entity), []).append(each)
    if not parts:
        return node
    ranked = sorted(parts, key=lambda part: (-_blame(parts[part]), repr(part)))
    best = ranked[0]
    alike = [part for part in ranked if _blame(parts[part]) >= MOST * _blame(parts[best])]
    if len(alike) >= PARTS_OF_A_HOST and not any(each.is_fatal for each in parts[best]):
        return node
    of_node = [each for each in findings if each.anomaly.entity.kind == "node"]
    if _blame(of_node) > _blame(parts[best]):
        return node
    return max((each.anomaly.entity for each in parts[best]), key=_said)


def layer_of(findings: Sequence[Finding]) -> Layer:
    """Return the layer that the evidence speaks for most; facts before deviations."""
    layers: dict[Layer, list[Finding]] = {}
    for each in strongest(findings).values():
        if each.anomaly.causes or each.is_fatal:
            layers.setdefault(each.anomaly.layer, []).append(each)
    if not layers:
        layers = {each.anomaly.layer: [each] for each in findings}
    if Layer.STORAGE in layers and _is_lossy(findings):
        return Layer.NETWORK
    return min(layers, key=lambda layer: (-_blame(layers[layer]), layer.value))


def layer_of_host(findings: Sequence[Finding]) -> Layer:
    """Return the layer of what one host alone shows.

    A client that waits while its peers are served as ever is slow itself: the server is the same.
    """
    layer = layer_of(findings)
    return Layer.HOST if layer is Layer.STORAGE and is_alone(findings) else layer


def is_alone(findings: Iterable[Finding]) -> bool:
    """Say whether storage is slow for this host and not for those it was compared with."""
    return any(
        each.anomaly.layer is Layer.STORAGE and kind_named(each.anomaly.kind).is_beside_peers
        for each in findings
    )


def _is_lossy(findings: Sequence[Finding]) -> bool:
    """Say whether many hosts send again what they sent: then the server is waited for in vain."""
    hosts = {each.host for each in findings if each.family in LOSSES and each.host}
    return len(hosts) >= SHARED_HOSTS


def causes_of(findings: Iterable[Finding], layer: Layer) -> tuple[str, ...]:
    """Return the causes that the findings speak for, the best first."""
    votes: Counter[str] = Counter()
    for each in strongest(findings).values():
        for place, cause in enumerate(each.anomaly.causes):
            own = 1.0 if each.anomaly.layer is layer else 0.5
            votes[cause] += each.evidence * own / (place + 1) + (1.0 if each.is_fatal else 0.0)  # type: ignore[assignment]  # votes are weighed
    return tuple(sorted(votes, key=lambda cause: (-votes[cause], cause)))


def shared_part(
    findings: Sequence[Finding],
    *,
    layer: Layer,
    groups: Sequence[PeerGroup],
    parts: Topology | None,
) -> Device:
    """Return what the hosts share: a server, a switch, a rail, or their session."""
    if layer is Layer.STORAGE:
        return _server(findings, parts)
    if layer is Layer.NETWORK and any(each.anomaly.layer is Layer.STORAGE for each in findings):
        return Device(kind="link", name=_server(findings, parts).name)
    if layer is Layer.NETWORK:
        found = _switch(findings, parts.switches if parts else {}) or _rail(findings)
        if found:
            return found
    return _session(findings, groups)


def _server(findings: Sequence[Finding], parts: Topology | None) -> Device:
    names: Counter[tuple[str, str]] = Counter()
    for each in findings:
        entity, anomaly = each.anomaly.entity, each.anomaly
        if entity.kind == "server" and entity.name:
            names["server", entity.name] += max(1, anomaly.host_count)
        elif entity.kind == "mount" and entity.name:
            server, colon, _ = entity.name.partition(":")
            names["server" if colon else "mount", server] += 1
    if names:
        kind, name = min(names, key=lambda each: (-names[each], each))
        return Device(kind=kind, name=name)
    servers = sorted(set(parts.mounts.values())) if parts else []
    paths = sorted(parts.mounts) if parts else []
    if len(servers) == 1:
        return Device(kind="server", name=servers[0])
    return Device(kind="mount", name=paths[0] if len(paths) == 1 else None)


def _switch(findings: Sequence[Finding], switches: Mapping[str, str]) -> Device | None:
    names = Counter(
        switches[key]
        for each in findings
        if (key := f"{each.host}/{each.anomaly.entity.name}") in switches
    )
    return _mostly(names, "switch")


def _rail(findings: Sequence[Finding]) -> Device | None:
    """Return the adapter that all name: without cabling known, the same place on each host."""
    names = Counter(
        each.anomaly.entity.name
        for each in findings
        if each.anomaly.entity.kind == "nic" and each.anomaly.entity.name
    )
    return _mostly(names, "link")


def _mostly(names: "Counter[str]", kind: str) -> Device | None:
    if not names:
        return None
    best = min(names, key=lambda name: (-names[name], name))
    return Device(kind=kind, name=best) if names[best] >= MOST * names.total() else None


def _session(findings: Sequence[Finding], groups: Sequence[PeerGroup]) -> Device:
    hosts = {each.host for each in findings if each.host}
    fitting = [
        group
        for group in groups
        if group.name
        and hosts <= set(group.hosts)
        and any(
            group.starts_at <= each.anomaly.starts_at and not _is_over(group, each)
            for each in findings
        )
    ]
    best = min(fitting, key=lambda group: (len(group.hosts), group.name), default=None)
    return Device(kind="program", name=best.name if best else None)


def _is_over(group: PeerGroup, finding: Finding) -> bool:
    return group.ends_at is not None and group.ends_at < finding.anomaly.starts_at


def _blame(findings: Sequence[Finding]) -> float:
    return score_of(findings) + sum(1 for each in strongest(findings).values() if each.is_fatal)


def _same(entity: Device) -> Device:
    """Return a part by what all exporters know of it: a GPU by its index, others by name."""
    if entity.kind == "gpu" and entity.index is not None:
        return Device(kind="gpu", host=entity.host, index=entity.index)
    return Device(kind=entity.kind, host=entity.host, uuid=entity.uuid, name=entity.name)


def _said(entity: Device) -> tuple[int, str]:
    known = (entity.index is not None) + (entity.uuid is not None) + (entity.pci is not None)
    return known, repr(entity)
