"""Who may say what: the one table, and what follows from it for an organization at an instant.

A fact is *asserted* where its sender's part in the cluster runs the thing it speaks of: it counts
for every party. Else it is *claimed*: kept, and evidence in the sender's own incidents alone; or it
is *refused*. See ADR 15.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from apps.diagnosis.model import Layer, Stream
from apps.fleet.models import ParticipationRole


class SenderStanding(StrEnum):
    """What the word of a sender is worth."""

    ASSERTED = "asserted"  # counts for every party's verdict
    CLAIMED = "claimed"  # counts in the sender's own incidents, and is marked there
    REFUSED = "refused"  # is not kept


class Subject(StrEnum):
    """What a fact speaks of."""

    SESSION = "session"  # that it runs, its state, times, exit codes
    SESSION_HOSTS = "session_hosts"  # where it runs: hosts, and ranks on them
    SESSION_LOG = "session_log"
    HOST = "host"  # kernel and BMC lines, metrics of hosts and what is in them
    FABRIC = "fabric"
    STORAGE = "storage"
    SCHEDULER = "scheduler"  # its log
    NODES = "nodes"  # hosts and their other names
    GPUS = "gpus"  # and NVSwitches
    LINKS = "links"  # network adapters, links, switches
    MOUNTS = "mounts"
    PROJECTS = "projects"
    EXCLUSIONS = "exclusions"  # which nodes are left out; a tenant's own: of its own jobs


RANK: Final = {SenderStanding.REFUSED: 0, SenderStanding.CLAIMED: 1, SenderStanding.ASSERTED: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What one part may say of one subject: of what is its own, and of what is others'."""

    own: SenderStanding
    others: SenderStanding
    agreed: SenderStanding | None = None  # of its own, once the operator takes its word


A: Final = Cell(own=SenderStanding.ASSERTED, others=SenderStanding.ASSERTED)
C: Final = Cell(own=SenderStanding.CLAIMED, others=SenderStanding.CLAIMED)
N: Final = Cell(own=SenderStanding.REFUSED, others=SenderStanding.REFUSED)
OWN: Final = Cell(own=SenderStanding.ASSERTED, others=SenderStanding.REFUSED)
OWN_CLAIM: Final = Cell(own=SenderStanding.CLAIMED, others=SenderStanding.REFUSED)
OWN_HOSTS: Final = Cell(
    own=SenderStanding.CLAIMED, others=SenderStanding.REFUSED, agreed=SenderStanding.ASSERTED
)
IF_AGREED: Final = Cell(
    own=SenderStanding.CLAIMED, others=SenderStanding.CLAIMED, agreed=SenderStanding.ASSERTED
)

PARTS: Final = (
    ParticipationRole.OPERATOR,
    ParticipationRole.PLATFORM,
    ParticipationRole.TENANT,
    ParticipationRole.GPU_VENDOR,
    ParticipationRole.NETWORK_VENDOR,
    ParticipationRole.STORAGE_VENDOR,
)
# In the order of PARTS; docs/connecting.md shows it, and a test holds the two together.
ROWS: Final[Mapping[Subject, tuple[Cell, ...]]] = {
    Subject.SESSION: (A, A, OWN, N, N, N),
    Subject.SESSION_HOSTS: (A, A, OWN_HOSTS, N, N, N),
    Subject.SESSION_LOG: (A, A, OWN, N, N, N),
    Subject.HOST: (A, IF_AGREED, C, C, C, C),
    Subject.FABRIC: (A, C, C, C, A, C),
    Subject.STORAGE: (A, C, C, C, C, A),
    Subject.SCHEDULER: (A, A, OWN_CLAIM, N, N, N),
    Subject.NODES: (A, A, N, N, N, N),
    Subject.GPUS: (A, A, N, C, N, N),
    Subject.LINKS: (A, A, N, N, C, N),
    Subject.MOUNTS: (A, A, N, N, N, C),
    Subject.PROJECTS: (A, A, N, N, N, N),
    Subject.EXCLUSIONS: (A, A, OWN_CLAIM, N, N, N),
}
TABLE: Final[Mapping[Subject, Mapping[ParticipationRole, Cell]]] = {
    subject: dict(zip(PARTS, cells, strict=True)) for subject, cells in ROWS.items()
}
# A vendor speaks for each layer that it answers for, whatever it is called.
VENDORS: Final[Mapping[str, ParticipationRole]] = {
    "gpu": ParticipationRole.GPU_VENDOR,
    "network": ParticipationRole.NETWORK_VENDOR,
    "storage": ParticipationRole.STORAGE_VENDOR,
}
OF_STREAM: Final[Mapping[str, Subject]] = {
    Stream.SESSION: Subject.SESSION_LOG,
    Stream.KERNEL: Subject.HOST,
    Stream.BMC: Subject.HOST,
    Stream.SCHEDULER: Subject.SCHEDULER,
    Stream.STORAGE: Subject.STORAGE,
    Stream.FABRIC: Subject.FABRIC,
}
OF_LAYER: Final[Mapping[str, Subject]] = {
    Layer.NETWORK: Subject.FABRIC,
    Layer.STORAGE: Subject.STORAGE,
}
OF_DEVICE: Final[Mapping[str, Subject]] = {
    "gpu": Subject.GPUS,
    "nvswitch": Subject.GPUS,
    "nic": Subject.LINKS,
    "switch": Subject.LINKS,
}


class PartRefused(Exception):
    """What was sent is not for this part to say. The words depend on the part alone."""


def subject_of(*, stream: str, layer: str = "") -> Subject:
    """Return what lines of a kind speak of; alerts and metrics by the layer they hint at."""
    return OF_STREAM.get(stream) or OF_LAYER.get(layer, Subject.HOST)


def subject_of_device(*, kind: str) -> Subject:
    """Return what a part of a node in an inventory is; others than GPUs and links are the node."""
    return OF_DEVICE.get(kind, Subject.NODES)


def standing_of(
    *,
    parts: Collection[ParticipationRole],
    subject: Subject,
    is_own: bool,
    layers: Collection[str] = (),
    is_agreed: bool = False,
) -> SenderStanding:
    """Return the strongest standing that any of one organization's parts gives it."""
    held = {*parts}
    if held & {*VENDORS.values()}:
        held |= {VENDORS[layer] for layer in layers if layer in VENDORS}
    cells = [TABLE[subject][part] for part in held]
    found = [_of_cell(cell, is_own=is_own, is_agreed=is_agreed) for cell in cells]
    return max(found, key=RANK.__getitem__, default=SenderStanding.REFUSED)


def _of_cell(cell: Cell, *, is_own: bool, is_agreed: bool) -> SenderStanding:
    said = cell.own if is_own else cell.others
    if is_agreed and cell.agreed and said is not SenderStanding.REFUSED:
        return cell.agreed
    return said


NAMES: Final[Mapping[ParticipationRole, str]] = {
    ParticipationRole.OPERATOR: "operator",
    ParticipationRole.PLATFORM: "platform",
    ParticipationRole.TENANT: "tenant",
    ParticipationRole.GPU_VENDOR: "GPU vendor",
    ParticipationRole.NETWORK_VENDOR: "network vendor",
    ParticipationRole.STORAGE_VENDOR: "storage vendor",
}
SUBJECTS: Final[Mapping[Subject, str]] = {
    Subject.SESSION: "reports of sessions",
    Subject.SESSION_HOSTS: "hosts and ranks of sessions",
    Subject.SESSION_LOG: "logs of sessions",
    Subject.HOST: "kernel and BMC lines, metrics of hosts",
    Subject.FABRIC: "fabric lines and metrics",
    Subject.STORAGE: "storage lines and metrics",
    Subject.SCHEDULER: "scheduler logs",
    Subject.NODES: "hosts and their other names",
    Subject.GPUS: "GPUs and NVSwitches",
    Subject.LINKS: "network adapters, links and switches",
    Subject.MOUNTS: "mounts",
    Subject.PROJECTS: "projects",
    Subject.EXCLUSIONS: "exclusions of nodes",
}


def refusal(*, parts: Collection[ParticipationRole], subject: Subject) -> str:
    """Return why something is not taken, from the parts alone: nothing else may show in it."""
    own = " and ".join(NAMES[part] for part in PARTS if part in parts) or "organization without one"
    takers = [NAMES[part] for part in PARTS if TABLE[subject][part].own is SenderStanding.ASSERTED]
    cells = [TABLE[subject][part] for part in parts]
    has_own = any(cell.own is not SenderStanding.REFUSED for cell in cells)
    but = " but for its own sessions, named in `session`" if has_own else ""
    return (
        f"{SUBJECTS[subject]} are not taken from this part in the cluster ({own}){but}; "
        f"its {' or '.join(takers)} sends them"
    )
