"""What parts of a cluster are called in a sentence: GPU 5 on gpu071, file server vast-1."""

from collections.abc import Mapping

from apps.wording.speaker import Speaker
from apps.wording.translatable import gettext_noop

DEVICES = {
    "node": gettext_noop("node"),
    "gpu": gettext_noop("a GPU"),
    "nvswitch": gettext_noop("an NVSwitch"),
    "nic": gettext_noop("a network card"),
    "link": gettext_noop("a link"),
    "switch": gettext_noop("a switch"),
    "mount": gettext_noop("a mount"),
    "server": gettext_noop("a file server"),
    "process": gettext_noop("a process"),
    "rank": gettext_noop("a rank"),
    "program": gettext_noop("the program"),
}
# How its driver names an NVSwitch, before its number.
NVSWITCH = "nvidia-nvswitch"
A_NODE, OF_HOST = gettext_noop("a node"), gettext_noop("%(part)s on %(host)s")
RANK, SERVER = gettext_noop("rank %(n)s"), gettext_noop("file server %(name)s")
NUMBERED = {
    "gpu": ("GPU", gettext_noop("the GPU at %(pci)s")),
    "nvswitch": ("NVSwitch", gettext_noop("the NVSwitch at %(pci)s")),
}


def part(device: Mapping[str, object], *, speaker: Speaker) -> str:
    """Return a part with its host."""
    kind = str(device.get("kind") or "")
    host = device.get("host")
    thing = part_alone(kind=kind, device=device, speaker=speaker)
    if kind == "node":
        return str(host or device.get("name") or speaker.translate(A_NODE))
    if not host or kind in {"server", "switch"}:
        return thing
    return speaker.translate(OF_HOST) % {"part": thing, "host": host}


def part_alone(*, kind: str, device: Mapping[str, object], speaker: Speaker) -> str:
    """Return the part without its host."""
    name, rank = device.get("name"), device.get("rank")
    gpu = device.get("gpu")
    index = gpu.get("index") if isinstance(gpu, Mapping) else device.get("index")
    pci = gpu.get("pci") if isinstance(gpu, Mapping) else device.get("pci")
    if kind in NUMBERED:
        number = index if kind == "gpu" else str(name or "").removeprefix(NVSWITCH) or None
        return _numbered(kind, number, pci, speaker)
    if kind in {"rank", "process"} and rank is not None:
        return speaker.translate(RANK) % {"n": rank}
    # A path is no server, whatever it is kept as.
    if kind == "server" and name and "/" not in str(name):
        return speaker.translate(SERVER) % {"name": name}
    if kind == "program":
        return speaker.translate(DEVICES[kind])
    return str(name or speaker.translate(DEVICES.get(kind, kind or "a part")))


def _numbered(kind: str, number: object, pci: object, speaker: Speaker) -> str:
    """Return a GPU by its index, an NVSwitch by its driver's number, else either by its address."""
    called, at = NUMBERED[kind]
    if number is not None:
        return f"{called} {number}"
    return speaker.translate(at) % {"pci": pci} if pci else speaker.translate(DEVICES[kind])
