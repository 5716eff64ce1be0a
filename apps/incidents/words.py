"""What an incident is called: one sentence, the same on pages and in the interface for machines."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps.fleet.models import Session
from apps.incidents.reading import IncidentHeader

# The name in lists; then the clause that ends "Session x stopped: …", with and without a culprit.


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """How one cause is spoken of."""

    name: str
    clause: str  # with {culprit}
    plain: str  # when nobody may be or can be named
    comfort: str  # what need not be changed, or what has to be


CAUSES: Mapping[str, Cause] = {
    "gpu-off-bus": Cause(
        name="GPU lost on PCIe",
        clause="{culprit} fell off the bus",
        plain="a GPU fell off the bus",
        comfort="Nothing in the program, the fabric or the storage needs to change.",
    ),
    "gpu-ecc-uncorrectable": Cause(
        name="Uncorrectable memory error",
        clause="{culprit} had an uncorrectable memory error",
        plain="a GPU had an uncorrectable memory error",
        comfort="Nothing in the program needs to change.",
    ),
    "gpu-ecc-correctable-storm": Cause(
        name="Storm of memory corrections",
        clause="{culprit} corrects memory errors at a high rate",
        plain="a GPU corrects memory errors at a high rate",
        comfort="It still works, but it foretells a loss.",
    ),
    "gpu-memory-fault": Cause(
        name="GPU memory fault",
        clause="{culprit} made an illegal memory access that its peers did not",
        plain="one GPU made an illegal memory access that its peers did not",
        comfort="The same program runs cleanly on the other GPUs.",
    ),
    "gpu-gsp-timeout": Cause(
        name="GPU system processor hung",
        clause="the system processor of {culprit} stopped answering",
        plain="the system processor of a GPU stopped answering",
        comfort="Nothing in the program needs to change.",
    ),
    "gpu-nvlink": Cause(
        name="NVLink fault",
        clause="an NVLink of {culprit} failed",
        plain="an NVLink failed",
        comfort="Nothing in the program or the storage needs to change.",
    ),
    "gpu-throttling": Cause(
        name="GPU throttled",
        clause="{culprit} was slowed down by heat or power limits",
        plain="a GPU was slowed down by heat or power limits",
        comfort="The session is correct, but as slow as its slowest GPU.",
    ),
    "gpu-other": Cause(
        name="Another GPU fault",
        clause="{culprit} had a hardware fault",
        plain="a GPU had a hardware fault",
        comfort="Nothing in the program needs to change.",
    ),
    "link-down": Cause(
        name="Link down",
        clause="the network link of {culprit} went down",
        plain="a network link went down",
        comfort="Nothing in the program or the storage needs to change.",
    ),
    "rdma-retry-exceeded": Cause(
        name="RDMA retries exhausted",
        clause="transfers of {culprit} got no answer over the fabric",
        plain="transfers got no answer over the fabric",
        comfort="Nothing in the program needs to change.",
    ),
    "roce-gid": Cause(
        name="Wrong RoCE address index",
        clause="{culprit} uses a wrong RoCE address index",
        plain="a wrong RoCE address index is in use",
        comfort="This is configuration: it comes back until it is set right.",
    ),
    "rdma-registration": Cause(
        name="RDMA memory registration refused",
        clause="{culprit} could not register memory for RDMA",
        plain="memory could not be registered for RDMA",
        comfort="This is configuration: it comes back until it is set right.",
    ),
    "fabric-congestion": Cause(
        name="Fabric congestion",
        clause="the fabric around {culprit} was congested or set up unequally",
        plain="the fabric was congested or set up unequally",
        comfort="Nothing in the program needs to change.",
    ),
    "p2p-topology": Cause(
        name="Peer-to-peer path broken",
        clause="GPUs of {culprit} can't reach each other directly",
        plain="GPUs can't reach each other directly",
        comfort="This is how the host is set up: it comes back until it is changed.",
    ),
    "socket-failure": Cause(
        name="TCP connection lost",
        clause="a TCP connection to {culprit} was refused or lost",
        plain="a TCP connection was refused or lost",
        comfort="Both programs were alive when it happened.",
    ),
    "wrong-interface": Cause(
        name="Wrong network interface",
        clause="{culprit} chose a network address that the others can't reach",
        plain="a network address was chosen that others can't reach",
        comfort="This is configuration: it comes back until it is set right.",
    ),
    "rendezvous-unreachable": Cause(
        name="Meeting point unreachable",
        clause="ranks could not reach the meeting point on {culprit}",
        plain="ranks could not reach their meeting point",
        comfort="No training had begun, so no progress was lost.",
    ),
    "efa-plugin": Cause(
        name="Fabric plug-in missing",
        clause="the fabric plug-in of {culprit} is missing or set up wrongly",
        plain="a fabric plug-in is missing or set up wrongly",
        comfort="This is installation: it comes back until it is repaired.",
    ),
    "nfs-unavailable": Cause(
        name="File server not responding",
        clause="{culprit} stopped answering file requests",
        plain="a file server stopped answering",
        comfort="Nothing in the program or on the GPUs needs to change.",
    ),
    "checkpoint-slow": Cause(
        name="Slow checkpoint",
        clause="a checkpoint on {culprit} outlasted the collective timeout",
        plain="a checkpoint outlasted the collective timeout",
        comfort="No GPU and no node is at fault.",
    ),
    "dataloader-stall": Cause(
        name="Input starved by storage",
        clause="reading training data from {culprit} stalled",
        plain="reading training data stalled",
        comfort="No GPU and no node is at fault.",
    ),
    "disk-full": Cause(
        name="File system full",
        clause="the file system of {culprit} is full",
        plain="a file system is full",
        comfort="It comes back until space is freed.",
    ),
    "host-oom": Cause(
        name="Host memory exhausted",
        clause="{culprit} ran out of host memory and a rank was killed",
        plain="a host ran out of memory and a rank was killed",
        comfort="No hardware is at fault.",
    ),
    "shm-exhausted": Cause(
        name="Shared memory exhausted",
        clause="{culprit} ran out of shared memory",
        plain="a host ran out of shared memory",
        comfort="No hardware is at fault.",
    ),
    "container-limits": Cause(
        name="Container limit reached",
        clause="a limit of the container on {culprit} was reached",
        plain="a limit of the container was reached",
        comfort="No hardware is at fault.",
    ),
    "process-killed": Cause(
        name="Killed from outside",
        clause="a process on {culprit} was killed from outside",
        plain="the session was killed from outside",
        comfort="Nothing is broken.",
    ),
    "version-mismatch": Cause(
        name="Versions don't fit",
        clause="driver or library versions on {culprit} don't fit the others",
        plain="driver or library versions don't fit each other",
        comfort="It comes back until the versions are aligned.",
    ),
    "pcie-error": Cause(
        name="PCIe errors",
        clause="{culprit} has errors on its PCIe path",
        plain="a PCIe path has errors",
        comfort="Nothing in the program needs to change.",
    ),
    "cpu-starvation": Cause(
        name="CPU starved",
        clause="the CPUs of {culprit} were starved",
        plain="the CPUs of a host were starved",
        comfort="No GPU is at fault.",
    ),
    "node-unreachable": Cause(
        name="Node vanished",
        clause="{culprit} vanished",
        plain="a node vanished",
        comfort="No GPU error came before it.",
    ),
    "cuda-oom": Cause(
        name="Out of GPU memory",
        clause="{culprit} ran out of GPU memory",
        plain="one rank ran out of GPU memory",
        comfort="No hardware is at fault.",
    ),
    "kernel-bug": Cause(
        name="Illegal access by the program",
        clause="the program made an illegal memory access on {culprit}",
        plain="the program made an illegal memory access",
        comfort="No hardware is at fault: another node would fail the same way.",
    ),
    "nccl-bug": Cause(
        name="Defect of NCCL",
        clause="a known defect of NCCL hit {culprit}",
        plain="a known defect of NCCL was hit",
        comfort="No hardware is at fault.",
    ),
    "collective-mismatch": Cause(
        name="Ranks disagree on the collective",
        clause="{culprit} called another collective than the others",
        plain="ranks called different collectives",
        comfort="No hardware is at fault: it comes back until the program is repaired.",
    ),
    "uneven-data": Cause(
        name="Uneven data",
        clause="{culprit} ran out of batches before the others",
        plain="some ranks ran out of batches before the others",
        comfort="No hardware is at fault.",
    ),
    "rank-exception": Cause(
        name="Exception in one rank",
        clause="{culprit} raised an exception, the others waited for it",
        plain="one rank raised an exception, the others waited for it",
        comfort="No hardware is at fault: another node would fail the same way.",
    ),
    "timeout-too-small": Cause(
        name="Timeout too small",
        clause="a legitimate long operation outlasted the collective timeout",
        plain="a legitimate long operation outlasted the collective timeout",
        comfort="No hardware is at fault.",
    ),
    "wrong-world-size": Cause(
        name="Wrong launch configuration",
        clause="the launch configuration does not fit the ranks",
        plain="the launch configuration does not fit the ranks",
        comfort="No hardware is at fault.",
    ),
    "slow-member": Cause(
        name="Slow member",
        clause="{culprit} is slower than its peers",
        plain="one member is slower than its peers",
        comfort="Why it is slow is not established.",
    ),
    "benign": Cause(
        name="Nothing wrong",
        clause="it looks like an error, but nothing is wrong",
        plain="it looks like an error, but nothing is wrong",
        comfort="No action is needed.",
    ),
    "unknown": Cause(
        name="Not established",
        clause="the cause is not established",
        plain="the cause is not established",
        comfort="The portal does not guess: what would settle it is listed under Missing.",
    ),
}

HAPPENED_TO_MANY = {"stop": "stopped", "slow": "are slow", "shared": "were hit"}
HAPPENED = {"stop": "stopped", "slow": "is slow", "shared": "was hit"}
UPLOAD = re.compile(r"[0-9a-f]{16}")
DEVICES = {
    "node": "node",
    "gpu": "a GPU",
    "nic": "a network card",
    "link": "a link",
    "switch": "a switch",
    "mount": "a mount",
    "server": "a file server",
    "process": "a process",
    "rank": "a rank",
    "program": "the program",
}


def title_of(header: IncidentHeader) -> str:
    """Return the verdict as a sentence that names nothing its reader may not know."""
    incident = header.incident
    return title(
        session=session_name(header),
        kind=incident.kind,
        count=len({attempt.session_id for attempt in header.attempts}),
        cause_slug=incident.cause,
        devices=header.culprits or [],
        settled=not header.is_collecting,
    )


def session_name(header: IncidentHeader) -> str:
    """Return the session's name for those who may know it; several are counted."""
    if not header.attempts or not header.rights.sees_session:
        return ""
    names = list(dict.fromkeys(shown_name(attempt.session) for attempt in header.attempts))
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def shown_name(session: Session) -> str:
    """Return the session's own name; one that is only an upload's digest is called so."""
    if session.cluster_id is None and UPLOAD.fullmatch(session.name):
        return f"upload-{session.name[:6]}"
    return session.name


def cause(slug: str) -> Cause:
    """Return how a cause is spoken of; an unknown one by its slug."""
    known = CAUSES.get(slug)
    if known:
        return known
    name = slug.replace("-", " ")
    return Cause(name=name.capitalize(), clause=f"{name} on {{culprit}}", plain=name, comfort="")


def culprit(device: Mapping[str, object]) -> str:
    """Return what a blamed part is called in a sentence: GPU 5 on gpu071."""
    kind = str(device.get("kind") or "")
    host = device.get("host")
    thing = part_name(kind=kind, device=device)
    if kind == "node":
        return str(host or device.get("name") or "a node")
    return f"{thing} on {host}" if host and kind not in {"server", "switch"} else thing


def part_name(*, kind: str, device: Mapping[str, object]) -> str:
    """Return the part alone, without its host."""
    name, rank = device.get("name"), device.get("rank")
    gpu = device.get("gpu")
    index = gpu.get("index") if isinstance(gpu, Mapping) else device.get("index")
    pci = gpu.get("pci") if isinstance(gpu, Mapping) else device.get("pci")
    if kind == "gpu":
        at = f"the GPU at {pci}" if pci else "a GPU"
        return f"GPU {index}" if index is not None else at
    if kind in {"rank", "process"} and rank is not None:
        return f"rank {rank}"
    if kind == "server" and name:
        return f"file server {name}"
    if kind == "program":
        return "the program"
    return str(name or DEVICES.get(kind, kind or "a part"))


def is_vague(device: Mapping[str, object], *, among: Sequence[Mapping[str, object]]) -> bool:
    """Say whether another blamed part of the same kind and host is named more exactly."""
    same = [
        other
        for other in among
        if other is not device
        and (other.get("kind"), other.get("host")) == (device.get("kind"), device.get("host"))
    ]
    return part_name(kind=str(device.get("kind")), device=device).startswith("a ") and any(
        not part_name(kind=str(other.get("kind")), device=other).startswith("a ") for other in same
    )


def culprits(devices: Sequence[Mapping[str, object]], *, limit: int = 2) -> str:
    """Return the blamed parts of a sentence, counted where they are many."""
    exact = [device for device in devices if not is_vague(device, among=devices)]
    names = list(dict.fromkeys(culprit(device) for device in exact))
    if len(names) <= limit:
        return " and ".join(names)
    return f"{names[0]} and {len(names) - 1} others"


def title(
    *,
    session: str,
    kind: str,
    count: int,
    cause_slug: str,
    devices: Sequence[Mapping[str, object]],
    settled: bool,
) -> str:
    """Return the verdict as one sentence: Session x stopped: GPU 5 on gpu071 fell off the bus."""
    named = f"Session{'s' if count > 1 else ''} {session}" if session else "A session"
    happened = HAPPENED_TO_MANY if count > 1 else HAPPENED
    subject = f"{named} {happened.get(kind, 'stopped')}"
    if cause_slug == "unknown" and not settled:
        return f"{subject}: still collecting evidence"
    return f"{subject}: {clause(cause_slug=cause_slug, devices=devices)}"


def clause(*, cause_slug: str, devices: Sequence[Mapping[str, object]]) -> str:
    """Return what happened, naming the culprit where the reader may know it."""
    spoken = cause(cause_slug)
    names = culprits(devices)
    return spoken.clause.format(culprit=names) if names else spoken.plain
