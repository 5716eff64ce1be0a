"""Which GPU it is, where that is hidden: UUIDs, serial numbers, slots; hashes of communicators."""

from functools import partial
from typing import Final

from apps.sharing.redaction.draft import Groups
from apps.sharing.redaction.hiding import Hiding
from apps.sharing.redaction.kinds import Kind
from apps.sharing.redaction.step_patterns import StepPattern

UUID: Final = StepPattern(r"\b(?:GPU|MIG)-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
SERIAL: Final = StepPattern(
    r"((?i:\bserial(?:[ _]?(?:number|no))?[\"']?[ \t]*[=:][ \t]*[\"']?))([A-Za-z0-9]{6,32})\b"
)
COMMUNICATOR: Final = StepPattern(
    r"((?i:\bcomm[ _]?(?:id|hash)[\"']?[ \t]*[=:]?[ \t]*(?:0x)?))([0-9a-f]{8,16})\b"
)
PCI: Final = StepPattern(r"()\b([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?)\b")
BUS: Final = StepPattern(r"((?i:\bbusid[ =:]{1,2}))([0-9a-f]{4,9})\b")


def hide_devices(hiding: Hiding) -> None:
    """Hide what tells one device from all others of its kind."""
    for kind, patterns in PATTERNS.items():
        if hiding.profile.hides(kind):
            for pattern, hide, *needs in patterns:
                hiding.draft.replace(pattern, partial(hide, hiding), *needs)


def _uuid(hiding: Hiding, found: Groups) -> bytes | None:
    text = found[0].decode()
    if hiding.pseudonyms.is_own(text):
        return None
    return hiding.made(Kind.GPU, found[0], hiding.pseudonyms.uuid(text))


def _serial(hiding: Hiding, found: Groups) -> bytes | None:
    mark = hiding.mark(Kind.GPU, found[2])
    return None if mark is None else found[1] + mark


def _communicator(hiding: Hiding, found: Groups) -> bytes | None:
    text = found[2].decode()
    if hiding.pseudonyms.is_own(text):
        return None
    made = hiding.pseudonyms.communicator(text)
    mark = hiding.made(Kind.COMMUNICATOR, found[2], made)
    return None if mark is None else found[1] + mark


def _slot(hiding: Hiding, found: Groups) -> bytes | None:
    mark = hiding.mark(Kind.PCI, found[2])
    return None if mark is None else found[1] + mark


PATTERNS: Final = {
    Kind.GPU: ((UUID, _uuid, b"gpu-", b"mig-"), (SERIAL, _serial, b"serial")),
    Kind.COMMUNICATOR: ((COMMUNICATOR, _communicator, b"comm"),),
    Kind.PCI: ((PCI, _slot, b":"), (BUS, _slot, b"busid")),
}
