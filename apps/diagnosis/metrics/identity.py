"""Labels of a series → the device it speaks of. Tolerant: what is not said stays None."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from apps.diagnosis.metrics.load import Labels
from apps.diagnosis.model import Device

# 00000000:83:00.0 (NVML), 0000:83:00.0, 0000:83:00: domains of eight digits carry four.
PCI = re.compile(r"([0-9a-f]{4,8}):([0-9a-f]{2}):([0-9a-f]{2})(?:\.([0-7]))?", re.ASCII)
ADDRESS = re.compile(r"[0-9.]+|[0-9a-f:]*:[0-9a-f:]*", re.ASCII)
PORT = re.compile(r"^(.*[^:]|\[.*\]):[0-9]+$", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What the labels of one series name: the device, and the operation where rows share one."""

    device: Device
    operation: str = ""


def name_series(
    *,
    labels: Mapping[str, str],
    kind: str,
    spelling: Labels,
    renamed: Mapping[str, str] = MappingProxyType({}),
    aliases: Mapping[str, str] = MappingProxyType({}),
) -> Named:
    """Return what a series speaks of; `renamed` (label of the source → our word) goes first.

    `aliases` (other spelling → host) has the last word on the host.
    """
    said = {word: labels[label] for label, word in renamed.items() if labels.get(label)}

    def first(word: str, spellings: tuple[str, ...]) -> str:
        return said.get(word) or next((labels[each] for each in spellings if labels.get(each)), "")

    index = first("gpu", spelling.index).removeprefix("GPU")
    uuid = first("uuid", spelling.uuid).lower().removeprefix("gpu-")
    pci = pci_address(first("pci", spelling.pci)) if spelling.pci else None
    has_index = kind == "gpu" and index.isascii() and index.isdigit() and len(index) < 4
    host = None if kind == "server" else host_name(first("host", spelling.host))
    device = Device(
        kind=kind,
        host=aliases.get(host, host) if host else None,
        index=int(index) if has_index else None,
        uuid=uuid or None,
        pci=pci,
        name=first("device", spelling.name) or None,
    )
    return Named(device=device, operation=first("operation", spelling.operation))


def host_name(text: str) -> str | None:
    """Return a host as short name in lower case, or its address; a port is taken off."""
    text = text.strip().lower()
    with_port = PORT.match(text)
    if with_port:
        text = with_port[1]
    text = text.strip("[]")
    if ADDRESS.fullmatch(text):
        return text
    return text.partition(".")[0] or None


def pci_address(text: str) -> str | None:
    """Return a PCI address as `dddd:bb:dd.f`, or None when the text is none."""
    found = PCI.fullmatch(text.strip().lower())
    if not found:
        return None
    domain, bus, device, function = found.groups()
    return f"{domain[-4:]}:{bus}:{device}.{function or '0'}"
