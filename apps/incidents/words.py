"""What an incident is called: one sentence, the same on pages and in the interface for machines."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

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
        name=gettext_noop("GPU lost on PCIe"),
        clause=gettext_noop("{culprit} fell off the bus"),
        plain=gettext_noop("a GPU fell off the bus"),
        comfort=gettext_noop("Nothing in the program, the fabric or the storage needs to change."),
    ),
    "gpu-ecc-uncorrectable": Cause(
        name=gettext_noop("Uncorrectable memory error"),
        clause=gettext_noop("{culprit} had an uncorrectable memory error"),
        plain=gettext_noop("a GPU had an uncorrectable memory error"),
        comfort=gettext_noop("Nothing in the program needs to change."),
    ),
    "gpu-ecc-correctable-storm": Cause(
        name=gettext_noop("Storm of memory corrections"),
        clause=gettext_noop("{culprit} corrects memory errors at a high rate"),
        plain=gettext_noop("a GPU corrects memory errors at a high rate"),
        comfort=gettext_noop("It still works, but it foretells a loss."),
    ),
    "gpu-memory-fault": Cause(
        name=gettext_noop("GPU memory fault"),
        clause=gettext_noop("{culprit} made an illegal memory access that its peers did not"),
        plain=gettext_noop("one GPU made an illegal memory access that its peers did not"),
        comfort=gettext_noop("The same program runs cleanly on the other GPUs."),
    ),
    "gpu-gsp-timeout": Cause(
        name=gettext_noop("GPU system processor hung"),
        clause=gettext_noop("the system processor of {culprit} stopped answering"),
        plain=gettext_noop("the system processor of a GPU stopped answering"),
        comfort=gettext_noop("Nothing in the program needs to change."),
    ),
    "gpu-nvlink": Cause(
        name=gettext_noop("NVLink fault"),
        clause=gettext_noop("an NVLink of {culprit} failed"),
        plain=gettext_noop("an NVLink failed"),
        comfort=gettext_noop("Nothing in the program or the storage needs to change."),
    ),
    "gpu-throttling": Cause(
        name=gettext_noop("GPU throttled"),
        clause=gettext_noop("{culprit} was slowed down by heat or power limits"),
        plain=gettext_noop("a GPU was slowed down by heat or power limits"),
        comfort=gettext_noop("The session is correct, but as slow as its slowest GPU."),
    ),
    "gpu-other": Cause(
        name=gettext_noop("Another GPU fault"),
        clause=gettext_noop("{culprit} had a hardware fault"),
        plain=gettext_noop("a GPU had a hardware fault"),
        comfort=gettext_noop("Nothing in the program needs to change."),
    ),
    "link-down": Cause(
        name=gettext_noop("Link down"),
        clause=gettext_noop("the network link of {culprit} went down"),
        plain=gettext_noop("a network link went down"),
        comfort=gettext_noop("Nothing in the program or the storage needs to change."),
    ),
    "rdma-retry-exceeded": Cause(
        name=gettext_noop("RDMA retries exhausted"),
        clause=gettext_noop("transfers of {culprit} got no answer over the fabric"),
        plain=gettext_noop("transfers got no answer over the fabric"),
        comfort=gettext_noop("Nothing in the program needs to change."),
    ),
    "roce-gid": Cause(
        name=gettext_noop("Wrong RoCE address index"),
        clause=gettext_noop("{culprit} uses a wrong RoCE address index"),
        plain=gettext_noop("a wrong RoCE address index is in use"),
        comfort=gettext_noop("This is configuration: it comes back until it is set right."),
    ),
    "rdma-registration": Cause(
        name=gettext_noop("RDMA memory registration refused"),
        clause=gettext_noop("{culprit} could not register memory for RDMA"),
        plain=gettext_noop("memory could not be registered for RDMA"),
        comfort=gettext_noop("This is configuration: it comes back until it is set right."),
    ),
    "fabric-congestion": Cause(
        name=gettext_noop("Fabric congestion"),
        clause=gettext_noop("the fabric around {culprit} was congested or set up unequally"),
        plain=gettext_noop("the fabric was congested or set up unequally"),
        comfort=gettext_noop("Nothing in the program needs to change."),
    ),
    "p2p-topology": Cause(
        name=gettext_noop("Peer-to-peer path broken"),
        clause=gettext_noop("GPUs of {culprit} can't reach each other directly"),
        plain=gettext_noop("GPUs can't reach each other directly"),
        comfort=gettext_noop("This is how the host is set up: it comes back until it is changed."),
    ),
    "socket-failure": Cause(
        name=gettext_noop("TCP connection lost"),
        clause=gettext_noop("a TCP connection to {culprit} was refused or lost"),
        plain=gettext_noop("a TCP connection was refused or lost"),
        comfort=gettext_noop("Both programs were alive when it happened."),
    ),
    "wrong-interface": Cause(
        name=gettext_noop("Wrong network interface"),
        clause=gettext_noop("{culprit} chose a network address that the others can't reach"),
        plain=gettext_noop("a network address was chosen that others can't reach"),
        comfort=gettext_noop("This is configuration: it comes back until it is set right."),
    ),
    "rendezvous-unreachable": Cause(
        name=gettext_noop("Meeting point unreachable"),
        clause=gettext_noop("ranks could not reach the meeting point on {culprit}"),
        plain=gettext_noop("ranks could not reach their meeting point"),
        comfort=gettext_noop("No training had begun, so no progress was lost."),
    ),
    "efa-plugin": Cause(
        name=gettext_noop("Fabric plug-in missing"),
        clause=gettext_noop("the fabric plug-in of {culprit} is missing or set up wrongly"),
        plain=gettext_noop("a fabric plug-in is missing or set up wrongly"),
        comfort=gettext_noop("This is installation: it comes back until it is repaired."),
    ),
    "nfs-unavailable": Cause(
        name=gettext_noop("File server not responding"),
        clause=gettext_noop("{culprit} stopped answering file requests"),
        plain=gettext_noop("a file server stopped answering"),
        comfort=gettext_noop("Nothing in the program or on the GPUs needs to change."),
    ),
    "checkpoint-slow": Cause(
        name=gettext_noop("Slow checkpoint"),
        clause=gettext_noop("a checkpoint on {culprit} outlasted the collective timeout"),
        plain=gettext_noop("a checkpoint outlasted the collective timeout"),
        comfort=gettext_noop("No GPU and no node is at fault."),
    ),
    "dataloader-stall": Cause(
        name=gettext_noop("Input starved by storage"),
        clause=gettext_noop("reading training data from {culprit} stalled"),
        plain=gettext_noop("reading training data stalled"),
        comfort=gettext_noop("No GPU and no node is at fault."),
    ),
    "disk-full": Cause(
        name=gettext_noop("File system full"),
        clause=gettext_noop("the file system of {culprit} is full"),
        plain=gettext_noop("a file system is full"),
        comfort=gettext_noop("It comes back until space is freed."),
    ),
    "host-oom": Cause(
        name=gettext_noop("Host memory exhausted"),
        clause=gettext_noop("{culprit} ran out of host memory and a rank was killed"),
        plain=gettext_noop("a host ran out of memory and a rank was killed"),
        comfort=gettext_noop("No hardware is at fault."),
    ),
    "shm-exhausted": Cause(
        name=gettext_noop("Shared memory exhausted"),
        clause=gettext_noop("{culprit} ran out of shared memory"),
        plain=gettext_noop("a host ran out of shared memory"),
        comfort=gettext_noop("No hardware is at fault."),
    ),
    "container-limits": Cause(
        name=gettext_noop("Container limit reached"),
        clause=gettext_noop("a limit of the container on {culprit} was reached"),
        plain=gettext_noop("a limit of the container was reached"),
        comfort=gettext_noop("No hardware is at fault."),
    ),
    "process-killed": Cause(
        name=gettext_noop("Killed from outside"),
        clause=gettext_noop("a process on {culprit} was killed from outside"),
        plain=gettext_noop("the session was killed from outside"),
        comfort=gettext_noop("Nothing is broken."),
    ),
    "version-mismatch": Cause(
        name=gettext_noop("Versions don't fit"),
        clause=gettext_noop("driver or library versions on {culprit} don't fit the others"),
        plain=gettext_noop("driver or library versions don't fit each other"),
        comfort=gettext_noop("It comes back until the versions are aligned."),
    ),
    "pcie-error": Cause(
        name=gettext_noop("PCIe errors"),
        clause=gettext_noop("{culprit} has errors on its PCIe path"),
        plain=gettext_noop("a PCIe path has errors"),
        comfort=gettext_noop("Nothing in the program needs to change."),
    ),
    "cpu-starvation": Cause(
        name=gettext_noop("CPU starved"),
        clause=gettext_noop("the CPUs of {culprit} were starved"),
        plain=gettext_noop("the CPUs of a host were starved"),
        comfort=gettext_noop("No GPU is at fault."),
    ),
    "node-unreachable": Cause(
        name=gettext_noop("Node vanished"),
        clause=gettext_noop("{culprit} vanished"),
        plain=gettext_noop("a node vanished"),
        comfort=gettext_noop("No GPU error came before it."),
    ),
    "cuda-oom": Cause(
        name=gettext_noop("Out of GPU memory"),
        clause=gettext_noop("{culprit} ran out of GPU memory"),
        plain=gettext_noop("one rank ran out of GPU memory"),
        comfort=gettext_noop("No hardware is at fault."),
    ),
    "kernel-bug": Cause(
        name=gettext_noop("Illegal access by the program"),
        clause=gettext_noop("the program made an illegal memory access on {culprit}"),
        plain=gettext_noop("the program made an illegal memory access"),
        comfort=gettext_noop("No hardware is at fault: another node would fail the same way."),
    ),
    "nccl-bug": Cause(
        name=gettext_noop("Defect of NCCL"),
        clause=gettext_noop("a known defect of NCCL hit {culprit}"),
        plain=gettext_noop("a known defect of NCCL was hit"),
        comfort=gettext_noop("No hardware is at fault."),
    ),
    "collective-mismatch": Cause(
        name=gettext_noop("Ranks disagree on the collective"),
        clause=gettext_noop("{culprit} called another collective than the others"),
        plain=gettext_noop("ranks called different collectives"),
        comfort=gettext_noop(
            "No hardware is at fault: it comes back until the program is repaired."
        ),
    ),
    "uneven-data": Cause(
        name=gettext_noop("Uneven data"),
        clause=gettext_noop("{culprit} ran out of batches before the others"),
        plain=gettext_noop("some ranks ran out of batches before the others"),
        comfort=gettext_noop("No hardware is at fault."),
    ),
    "rank-exception": Cause(
        name=gettext_noop("Exception in one rank"),
        clause=gettext_noop("{culprit} raised an exception, the others waited for it"),
        plain=gettext_noop("one rank raised an exception, the others waited for it"),
        comfort=gettext_noop("No hardware is at fault: another node would fail the same way."),
    ),
    "timeout-too-small": Cause(
        name=gettext_noop("Timeout too small"),
        clause=gettext_noop("a legitimate long operation outlasted the collective timeout"),
        plain=gettext_noop("a legitimate long operation outlasted the collective timeout"),
        comfort=gettext_noop("No hardware is at fault."),
    ),
    "wrong-world-size": Cause(
        name=gettext_noop("Wrong launch configuration"),
        clause=gettext_noop("the launch configuration does not fit the ranks"),
        plain=gettext_noop("the launch configuration does not fit the ranks"),
        comfort=gettext_noop("No hardware is at fault."),
    ),
    "slow-member": Cause(
        name=gettext_noop("Slow member"),
        clause=gettext_noop("{culprit} is slower than its peers"),
        plain=gettext_noop("one member is slower than its peers"),
        comfort=gettext_noop("Why it is slow is not established."),
    ),
    "benign": Cause(
        name=gettext_noop("Nothing wrong"),
        clause=gettext_noop("it looks like an error, but nothing is wrong"),
        plain=gettext_noop("it looks like an error, but nothing is wrong"),
        comfort=gettext_noop("No action is needed."),
    ),
    "unknown": Cause(
        name=gettext_noop("Not established"),
        clause=gettext_noop("the cause is not established"),
        plain=gettext_noop("the cause is not established"),
        comfort=gettext_noop(
            "The portal does not guess: what would settle it is listed under Missing."
        ),
    ),
}

# By kind of incident: of one session, of several, of one whose name the reader may not know.
HAPPENED = {
    "stop": (
        gettext_noop("Session %(name)s stopped"),
        gettext_noop("Sessions %(name)s stopped"),
        gettext_noop("A session stopped"),
    ),
    "slow": (
        gettext_noop("Session %(name)s is slow"),
        gettext_noop("Sessions %(name)s are slow"),
        gettext_noop("A session is slow"),
    ),
    "shared": (
        gettext_noop("Session %(name)s was hit"),
        gettext_noop("Sessions %(name)s were hit"),
        gettext_noop("A session was hit"),
    ),
}
UPLOAD = re.compile(r"[0-9a-f]{16}")
DEVICES = {
    "node": gettext_noop("node"),
    "gpu": gettext_noop("a GPU"),
    "nic": gettext_noop("a network card"),
    "link": gettext_noop("a link"),
    "switch": gettext_noop("a switch"),
    "mount": gettext_noop("a mount"),
    "server": gettext_noop("a file server"),
    "process": gettext_noop("a process"),
    "rank": gettext_noop("a rank"),
    "program": gettext_noop("the program"),
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
    return (
        names[0]
        if len(names) == 1
        else _("%(names)s and %(n)s more") % {"names": names[0], "n": len(names) - 1}
    )


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


def spoken(slug: str) -> Cause:
    """Return how a cause is spoken of in the reader's language."""
    known = cause(slug)
    return Cause(
        name=_(known.name),
        clause=_(known.clause),
        plain=_(known.plain),
        comfort=_(known.comfort),
    )


def culprit(device: Mapping[str, object]) -> str:
    """Return what a blamed part is called in a sentence: GPU 5 on gpu071."""
    kind = str(device.get("kind") or "")
    host = device.get("host")
    thing = part_name(kind=kind, device=device)
    if kind == "node":
        return str(host or device.get("name") or _("a node"))
    if not host or kind in {"server", "switch"}:
        return thing
    return _("%(part)s on %(host)s") % {"part": thing, "host": host}


def part_name(*, kind: str, device: Mapping[str, object]) -> str:
    """Return the part alone, without its host."""
    name, rank = device.get("name"), device.get("rank")
    gpu = device.get("gpu")
    index = gpu.get("index") if isinstance(gpu, Mapping) else device.get("index")
    pci = gpu.get("pci") if isinstance(gpu, Mapping) else device.get("pci")
    if kind == "gpu":
        at = _("the GPU at %(pci)s") % {"pci": pci} if pci else _("a GPU")
        return f"GPU {index}" if index is not None else at
    if kind in {"rank", "process"} and rank is not None:
        return _("rank %(n)s") % {"n": rank}
    if kind == "server" and name:
        return _("file server %(name)s") % {"name": name}
    if kind == "program":
        return _("the program")
    return str(name or _(DEVICES.get(kind, kind or "a part")))


def is_vague(device: Mapping[str, object], *, among: Sequence[Mapping[str, object]]) -> bool:
    """Say whether another blamed part of the same kind and host is named more exactly."""
    same = [
        other
        for other in among
        if other is not device
        and (other.get("kind"), other.get("host")) == (device.get("kind"), device.get("host"))
    ]
    return not _is_exact(device) and any(_is_exact(other) for other in same)


def _is_exact(device: Mapping[str, object]) -> bool:
    with translation.override("en"):
        return not part_name(kind=str(device.get("kind")), device=device).startswith("a ")


def culprits(devices: Sequence[Mapping[str, object]], *, limit: int = 2) -> str:
    """Return the blamed parts of a sentence, counted where they are many."""
    exact = [device for device in devices if not is_vague(device, among=devices)]
    names = list(dict.fromkeys(culprit(device) for device in exact))
    if len(names) <= limit:
        return _(" and ").join(names)
    return _("%(name)s and %(n)s others") % {"name": names[0], "n": len(names) - 1}


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
    one, several, unnamed = HAPPENED.get(kind, HAPPENED["stop"])
    subject = _((several if count > 1 else one) if session else unnamed) % {"name": session}
    if cause_slug == "unknown" and not settled:
        return _("%(subject)s: still collecting evidence") % {"subject": subject}
    return f"{subject}: {clause(cause_slug=cause_slug, devices=devices)}"


def clause(*, cause_slug: str, devices: Sequence[Mapping[str, object]]) -> str:
    """Return what happened, naming the culprit where the reader may know it."""
    told = spoken(cause_slug)
    names = culprits(devices)
    return told.clause.format(culprit=names) if names else told.plain


def retold(text: str, *, cause_slug: str, devices: Sequence[Mapping[str, object]]) -> str:
    """Return a title that was kept in English in the reader's language; any other as it stands."""
    subject, _colon, rest = text.partition(": ")
    form = next((each for each in _forms() if _matches(subject, each)), "")
    if not form or translation.get_language() in {None, "en"}:
        return text
    before, _name, after = form.partition("%(name)s")
    told = _(form) % {"name": subject[len(before) : len(subject) - len(after)]}
    if rest == "still collecting evidence":
        return _("%(subject)s: still collecting evidence") % {"subject": told}
    return f"{told}: {clause(cause_slug=cause_slug, devices=devices)}"


def _forms() -> list[str]:
    return [form for forms in HAPPENED.values() for form in forms]


def _matches(subject: str, form: str) -> bool:
    before, name, after = form.partition("%(name)s")
    return subject.startswith(before) and subject.endswith(after) if name else subject == form
