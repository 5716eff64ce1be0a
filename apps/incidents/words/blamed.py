"""What blamed parts are called in a sentence."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

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
# Of these a host or a session has one; of those the rank says which it is.
ALONE, RANKED = frozenset({"node", "program"}), frozenset({"rank", "process"})
# How its driver names an NVSwitch, before its number.
NVSWITCH = "nvidia-nvswitch"


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
    index, pci = _number(device)
    if kind in {"gpu", "nvswitch"}:
        return _numbered(kind=kind, index=index, name=str(name or ""), pci=pci)
    if kind in RANKED and rank is not None:
        return _("rank %(n)s") % {"n": rank}
    # A path is no server, whatever it is kept as.
    if kind == "server" and name and "/" not in str(name):
        return _("file server %(name)s") % {"name": name}
    if kind == "program":
        return _("the program")
    return str(name or _(DEVICES.get(kind, kind or "a part")))


def _numbered(*, kind: str, index: object, name: str, pci: object) -> str:
    """Return a GPU by its index, an NVSwitch by the number that its driver gives it."""
    if kind == "gpu":
        at = _("the GPU at %(pci)s") % {"pci": pci} if pci else _("a GPU")
        return f"GPU {index}" if index is not None else at
    at = _("the NVSwitch at %(pci)s") % {"pci": pci} if pci else _("an NVSwitch")
    return f"NVSwitch {name.removeprefix(NVSWITCH)}" if name else at


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
    """Say whether it is known which part of its kind it is."""
    kind, is_named = device.get("kind"), bool(device.get("name"))
    index, pci = _number(device)
    if kind in ALONE:
        return True
    if kind == "gpu":
        return index is not None or bool(pci)
    if kind == "nvswitch":
        return is_named or bool(pci)
    return is_named or (kind in RANKED and device.get("rank") is not None)


def _number(device: Mapping[str, object]) -> tuple[object, object]:
    """Return the index and the address of a GPU, as far as known."""
    gpu = device.get("gpu")
    told = gpu if isinstance(gpu, Mapping) else device
    return told.get("index"), told.get("pci")


def culprits(devices: Sequence[Mapping[str, object]], *, limit: int = 2) -> str:
    """Return the blamed parts of a sentence, counted where they are many."""
    exact = [device for device in devices if not is_vague(device, among=devices)]
    names = list(dict.fromkeys(culprit(device) for device in exact))
    if len(names) <= limit:
        return _(" and ").join(names)
    return _("%(name)s and %(n)s others") % {"name": names[0], "n": len(names) - 1}
