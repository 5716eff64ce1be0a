"""What parts are called: GPU 5, the GPU at 0000:4e:00.0, mlx5_0 on gpu071, rank 3 on gpu071."""

from collections.abc import Mapping
from typing import Final

from apps.diagnosis.model import Device
from apps.wording.speaker import Speaker
from apps.wording.translatable import gettext_noop

KINDS: Final = {
    "node": gettext_noop("a node"),
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
AT: Final = {
    "gpu": gettext_noop("the GPU at %(pci)s"),
    "nvswitch": gettext_noop("the NVSwitch at %(pci)s"),
}
RANK: Final = gettext_noop("rank %(n)s")
SERVER: Final = gettext_noop("file server %(name)s")
ON_HOST: Final = gettext_noop("%(part)s on %(host)s")
# How its driver names an NVSwitch, before its number.
NVSWITCH: Final = "nvidia-nvswitch"
# What hangs on no one host.
HOSTLESS: Final = frozenset({"server", "switch"})


def device_of(said: Mapping[str, object]) -> Device:
    """Return a part as it is published, its GPU apart or not."""
    gpu = said.get("gpu")
    place = gpu if isinstance(gpu, Mapping) else said
    return Device(
        kind=_text(said, "kind") or "",
        host=_text(said, "host"),
        rank=_number(said, "rank"),
        index=_number(place, "index"),
        uuid=_text(place, "uuid"),
        pci=_text(place, "pci"),
        name=_text(said, "name"),
    )


def named(device: Device, speaker: Speaker) -> str:
    """Return the part alone, without its host."""
    return _exactly(device, speaker) or speaker.translate(
        KINDS.get(device.kind, device.kind or "a part")
    )


def is_exact(device: Device) -> bool:
    """Say whether it is this part and no other of its kind."""
    return device.kind in {"node", "program"} or bool(_exactly(device, _PLAIN))


def located(device: Device, speaker: Speaker) -> str:
    """Return a part and its host, as it stands in a sentence."""
    if device.kind == "node":
        return device.host or named(device, speaker)
    return _on_host(named(device, speaker), device, speaker)


def addressed(device: Device, speaker: Speaker) -> str:
    """Return the same with its PCI address, for who has to find it."""
    name = located(device, speaker)
    if not device.pci or device.pci in name or device.kind == "node":
        return name
    return _on_host(f"{named(device, speaker)} ({device.pci})", device, speaker)


def _on_host(part: str, device: Device, speaker: Speaker) -> str:
    if not device.host or device.kind in HOSTLESS:
        return part
    return speaker.translate(ON_HOST) % {"part": part, "host": device.host}


def _exactly(device: Device, speaker: Speaker) -> str:
    """Return the part by its number, address or name; "" where only its kind is known."""
    kind, name = device.kind, device.name or ""
    if kind in AT:
        number = _number_text(device)
        return number or (speaker.translate(AT[kind]) % {"pci": device.pci} if device.pci else "")
    if kind in {"rank", "process"} and device.rank is not None:
        return speaker.translate(RANK) % {"n": device.rank}
    # A path is no server, whatever it is kept as.
    if kind == "server" and name and "/" not in name:
        return speaker.translate(SERVER) % {"name": name}
    return "" if kind == "program" else name


def _number_text(device: Device) -> str:
    """Return a GPU by its index, an NVSwitch by the number that its driver gives it."""
    if device.kind == "gpu":
        return f"GPU {device.index}" if device.index is not None else ""
    return f"NVSwitch {device.name.removeprefix(NVSWITCH)}" if device.name else ""


def _text(said: Mapping[str, object], key: str) -> str | None:
    value = said.get(key)
    return None if value is None else str(value)


def _number(said: Mapping[str, object], key: str) -> int | None:
    value = said.get(key)
    return value if isinstance(value, int) else None


_PLAIN: Final = Speaker(translate=str, kinds={})
