"""One sentence on an episode. Where the cause is inferred it is `consistent with`, never `is`."""

from collections.abc import Sequence

from apps.diagnosis.detection.fusion.findings import Finding, strongest
from apps.diagnosis.model import Device, Layer

MOST_FAMILIES = 3
QUEUES = frozenset({"nfs-queue", "nfs-transport"})
SERVER_SIGNS = frozenset({"nfs-server"})
ALONE = "; its peers are served as ever, which speaks for this host or its way to the server"
NETWORK_SIGNS = frozenset({"rdma-retries", "link", "link-quality", "congestion"})


def of_host(
    entity: Device, findings: Sequence[Finding], causes: Sequence[str], *, is_alone: bool = False
) -> str:
    """Return what a node's findings say together; `is_alone`: its peers are well served."""
    told = "; ".join(_told(each) for each in _heaviest(findings))
    others = ALONE if is_alone else ""
    return f"{place(entity)}: {told}{others}{_inferred(causes)}"


def of_shared(
    entity: Device,
    findings: Sequence[Finding],
    causes: Sequence[str],
    *,
    layer: Layer,
    seen_on: tuple[int, int],
) -> str:
    """Return what many hosts show at once; `seen_on` is how many of how many."""
    hosts = f"{seen_on[0]} of {seen_on[1]} hosts at once"
    is_of_files = layer in {Layer.STORAGE, Layer.NETWORK}
    if is_of_files and any(each.family in QUEUES for each in findings):
        return f"{hosts}: {_queues(entity, findings)}"
    told = "; ".join(_told(each) for each in _heaviest(findings))
    return f"{hosts}, a shared cause at {place(entity)}: {told}{_inferred(causes)}"


def place(entity: Device) -> str:
    """Return a part in words."""
    if entity.kind == "node":
        return str(entity.host)
    if entity.kind == "program":
        return f"the session {entity.name}" if entity.name else "what these hosts have in common"
    number = f" {entity.index}" if entity.index is not None else ""
    name = f" {entity.name}" if entity.name else ""
    where = f" of {entity.host}" if entity.host else ""
    if entity.kind == "link" and not entity.host:
        return f"the way to {entity.name}"
    kind = {"gpu": "GPU", "nic": "adapter", "mount": "NFS mount"}.get(entity.kind)
    return f"{kind or entity.kind}{number or name}{where}"


def _queues(entity: Device, findings: Sequence[Finding]) -> str:
    best = strongest(findings)
    share = next((best[name].anomaly for name in sorted(QUEUES) if name in best), None)
    has_share = share is not None and share.unit == "ratio" and share.value is not None
    told = f"queue share {share.value:.2f}" if has_share and share else "requests wait in clients"
    if NETWORK_SIGNS & best.keys():
        also = "retransmissions rise too, which speaks for the network in between"
    elif SERVER_SIGNS & best.keys():
        also = "the server answers later too, which speaks for the server"
    else:
        also = "server response flat"
    at = f"server {entity.name}" if entity.kind == "link" else place(entity)
    return f"consistent with saturation of the NFS client queues against {at}: {told}, {also}"


def _heaviest(findings: Sequence[Finding]) -> list[Finding]:
    best = strongest(findings).values()
    ranked = sorted(best, key=lambda each: (not each.is_fatal, -each.evidence, each.family))
    return ranked[:MOST_FAMILIES]


def _told(finding: Finding) -> str:
    anomaly = finding.anomaly
    if anomaly.kind == "silence":
        return f"{finding.family} ended"
    if anomaly.value is None:
        return anomaly.signal
    unit = f" {anomaly.unit}" if anomaly.unit not in {"", "ratio", "flag", "code", "bits"} else ""
    usual = f" against {anomaly.baseline:.4g}" if anomaly.baseline is not None else ""
    return f"{anomaly.signal} {anomaly.value:.4g}{unit}{usual}"


def _inferred(causes: Sequence[str]) -> str:
    return f"; consistent with {causes[0]}" if causes else ""
