"""What an episode tells, as a fact: the part, its heaviest findings, what they may come from."""

from collections.abc import Iterable, Sequence

from apps.diagnosis.detection.fusion.findings import Finding, strongest
from apps.diagnosis.model import Device, Layer, Statement, statement

MOST_FAMILIES = 3
QUEUES = frozenset({"nfs-queue", "nfs-transport"})
SERVER_SIGNS = frozenset({"nfs-server"})
NETWORK_SIGNS = frozenset({"rdma-retries", "link", "link-quality", "congestion"})


def of_host(
    entity: Device, findings: Sequence[Finding], causes: Sequence[str], *, is_alone: bool = False
) -> Statement:
    """Return what a node's findings say together; `is_alone`: its peers are well served."""
    return statement(
        "warning-of-host",
        part=part_fact(entity),
        findings=tuple(_finding(each) for each in _heaviest(findings)),
        is_alone=is_alone or None,
        cause=next(iter(causes), None),
    )


def of_shared(
    entity: Device,
    findings: Sequence[Finding],
    causes: Sequence[str],
    *,
    layer: Layer,
    seen_on: tuple[int, int],
) -> Statement:
    """Return what many hosts show at once; `seen_on` is how many of how many."""
    seen, watched = seen_on
    is_of_files = layer in {Layer.STORAGE, Layer.NETWORK}
    if is_of_files and any(each.family in QUEUES for each in findings):
        return _queues(entity, findings, seen=seen, watched=watched)
    return statement(
        "warning-of-shared-part",
        part=part_fact(entity),
        findings=tuple(_finding(each) for each in _heaviest(findings)),
        seen=seen,
        watched=watched,
        cause=next(iter(causes), None),
    )


def part_fact(entity: Device) -> Statement:
    """Return a part as a fact tells of it."""
    return statement(
        "part",
        kind=entity.kind,
        host=entity.host,
        index=entity.index,
        name=entity.name,
        pci=entity.pci,
        uuid=entity.uuid,
        rank=entity.rank,
    )


def _queues(entity: Device, findings: Sequence[Finding], *, seen: int, watched: int) -> Statement:
    best = strongest(findings)
    share = next((best[name].anomaly for name in sorted(QUEUES) if name in best), None)
    has_share = share is not None and share.unit == "ratio"
    # Behind a full queue is a server, also where only the way to it is blamed.
    at = Device(kind="server", name=entity.name) if entity.kind == "link" else entity
    return statement(
        "queues-saturated",
        part=part_fact(at),
        seen=seen,
        watched=watched,
        share=share.value if has_share and share else None,
        beside=_beside(best.keys()),
    )


def _beside(families: Iterable[str]) -> str:
    known = set(families)
    if NETWORK_SIGNS & known:
        return "network"
    return "server" if SERVER_SIGNS & known else "flat"


def _heaviest(findings: Sequence[Finding]) -> list[Finding]:
    best = strongest(findings).values()
    ranked = sorted(best, key=lambda each: (not each.is_fatal, -each.evidence, each.family))
    return ranked[:MOST_FAMILIES]


def _finding(finding: Finding) -> Statement:
    anomaly = finding.anomaly
    return statement(
        "finding-of-family",
        family=finding.family,
        signal=anomaly.signal,
        has_ended=anomaly.kind == "silence" or None,
        value=anomaly.value,
        usual=anomaly.baseline,
        unit=anomaly.unit or None,
    )
