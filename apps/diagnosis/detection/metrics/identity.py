"""Labels of a series → the device it speaks of. Tolerant: what is not said stays None."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from apps.diagnosis.detection.metrics.load import Labels
from apps.diagnosis.detection.metrics.united_parts import Value, united
from apps.diagnosis.input_values import is_whole_number, whole_number
from apps.diagnosis.model import Device

# 00000000:83:00.0 (NVML), 0000:83:00.0, 0000:83:00: domains of eight digits carry four.
PCI = re.compile(r"([0-9a-f]{4,8}):([0-9a-f]{2}):([0-9a-f]{2})(?:\.([0-7]))?", re.ASCII)
ADDRESS = re.compile(r"[0-9.]+|[0-9a-f:]*:[0-9a-f:]*", re.ASCII)
PORT = re.compile(r"^(.*[^:]|\[.*\]):[0-9]+$", re.ASCII)
# A slice of a GPU as drivers before 470 call it: the UUID of the GPU and its two instances.
OLD_SLICE = re.compile(r"mig-gpu-([0-9a-f-]+)/([0-9]{1,3})/[0-9]{1,3}", re.ASCII)
# What a scraper puts before a label of the exporter that the target already had.
EXPORTED = "exported_"
# Parts that go by several names.
RESOLVED: Final = frozenset({"gpu", "nic"})
# Longer ones are no host and no board; other names are cut.
HOST_LENGTH: Final = 253
UUID_LENGTH: Final = 64
NAME_LENGTH: Final = 500
NOT_SAID = frozenset({"", "n/a", "[n/a]", "na", "none", "null", "unknown", "[unknown]"})


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSeries:
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
) -> NamedSeries:
    """Return what a series speaks of; `renamed` (label of the source → our word) goes first.

    `aliases` (other spelling → host) has the last word on the host.
    """
    labels = own_labels(labels)
    said = {word: labels[label] for label, word in renamed.items() if labels.get(label)}

    def first(word: str, spellings: tuple[str, ...]) -> str:
        found = said.get(word) or next((labels[each] for each in spellings if labels.get(each)), "")
        return plain(found)

    host = None if kind == "server" else host_name(first("host", spelling.host))
    name, index, uuid = first("device", spelling.name), "", ""
    if kind == "gpu":
        index = first("gpu", spelling.index)
        uuid, part = _board(first("uuid", spelling.uuid), labels.get("GPU_I_ID", ""))
        name = part or _ordinal(index) or name
    pci = pci_address(first("pci", spelling.pci)) if spelling.pci else None
    if pci is None and "segment" in labels:
        pci, name = _pci_of_parts(labels), ""
    device = Device(
        kind=kind,
        host=aliases.get(host, host) if host else None,
        index=whole_number(index, most=999),
        uuid=uuid or None,
        pci=pci,
        name=name or None,
    )
    return NamedSeries(device=device, operation=first("operation", spelling.operation))


def plain(text: str) -> str:
    """Return a label's value as far as it can be kept: no NUL, and of some length."""
    return text.replace("\0", "")[:NAME_LENGTH]


def own_labels(labels: Mapping[str, str]) -> Mapping[str, str]:
    """Return the labels as the exporter wrote them: a scraper renames those its target has too."""
    if not any(label.startswith(EXPORTED) for label in labels):
        return labels
    told = {k.removeprefix(EXPORTED): v for k, v in labels.items() if k.startswith(EXPORTED) and v}
    return {**labels, **told}


def _board(text: str, slice_number: str) -> tuple[str, str]:
    """Return the UUID of the board, and which slice of it is meant (MIG), if any."""
    text = text.strip().lower()
    old = OLD_SLICE.fullmatch(text)
    if old:
        return old[1], f"MIG {old[2]}"
    uuid = "" if text in NOT_SAID or len(text) > UUID_LENGTH else text.removeprefix("gpu-")
    return uuid, f"MIG {plain(slice_number)}" if slice_number else ""


def _ordinal(text: str) -> str:
    """Return `cuda 3` for the GPU3 of a process: its own count, not the driver's index."""
    number = text.removeprefix("GPU")
    return f"cuda {number}" if number != text and is_whole_number(number) else ""


def _pci_of_parts(labels: Mapping[str, str]) -> str | None:
    """Return the address that node_exporter spells in four labels."""
    domain, bus, device, function = (
        labels.get(each, "").removeprefix("0x") for each in ("segment", "bus", "device", "function")
    )
    return pci_address(f"{domain.zfill(4)}:{bus.zfill(2)}:{device.zfill(2)}.{function or 0}")


def host_name(text: str) -> str | None:
    """Return a host as short name in lower case, or its address; a port is taken off."""
    text = text.replace("\0", "").strip().lower()
    with_port = PORT.match(text)
    if with_port:
        text = with_port[1]
    text = text.strip("[]")
    if ADDRESS.fullmatch(text):
        return text[:HOST_LENGTH]
    name = text.partition(".")[0]
    return name if 0 < len(name) <= HOST_LENGTH else None


def pci_address(text: str) -> str | None:
    """Return a PCI address as `dddd:bb:dd.f`, or None when the text is none."""
    found = PCI.fullmatch(text.strip().lower())
    if not found:
        return None
    domain, bus, device, function = found.groups()
    return f"{domain[-4:]}:{bus}:{device}.{function or '0'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedDevice:
    """A part of a host with all that is known of it."""

    device: Device
    alias: str = ""  # its other name there: the interface of a NIC, a process's own count of a GPU


class Resolver:
    """Devices as series name them → one device for each part, whatever of its names was said.

    Made once a cycle from what the database knew of that time and what the series of the source
    say beside each other; it never changes afterwards, so answers may be kept for its life.
    """

    def __init__(self, *, parts: Iterable[NamedDevice] = (), hosts: Collection[str] = ()) -> None:
        self._hosts = frozenset(hosts)
        self._found: dict[tuple[str, str | None, str, Value], Device] = {}
        for part in parts:
            device = part.device
            for name, value in _names(device).items():
                self._found[device.kind, _where(name, device), name, value] = device
            if part.alias:
                self._found[device.kind, device.host, "alias", part.alias] = device

    def complete(self, device: Device) -> Device:
        """Return the device with what is known of it; what its own labels say stands."""
        known = self._known(device) if device.kind in RESOLVED else None
        if known is None:
            return device
        return replace(
            device,
            host=known.host if self.is_stranger(device.host) else device.host,
            index=known.index if device.index is None else device.index,
            uuid=device.uuid or known.uuid,
            pci=device.pci or known.pci,
            name=device.name if _is_slice(device) else known.name,
        )

    def is_stranger(self, host: str | None) -> bool:
        """Say whether a host is none of the cluster's: a container, or an exporter's own name."""
        return host is None or (bool(self._hosts) and host not in self._hosts)

    def _known(self, device: Device) -> Device | None:
        """Return the part that the most lasting known name means, unless others contradict it."""
        keys: list[tuple[str, Value]] = list(_names(device).items())
        if device.name and not _is_slice(device):
            keys.insert(0, ("alias", device.name))
        for name, value in keys:
            found = self._found.get((device.kind, _where(name, device), name, value))
            if found is not None:
                return found if name == "alias" or _agree(device, found) else None
        return None


def resolver_of(
    *, told: Iterable[Device], known: Iterable[NamedDevice] = (), hosts: Collection[str] = ()
) -> Resolver:
    """Return a resolver that knows what series say beside each other, then what is on record."""
    of_record = tuple(known)
    first = Resolver(parts=of_record, hosts=hosts)
    said = [NamedDevice(device=_at_home(device, first)) for device in told if not _is_slice(device)]
    said.sort(key=lambda part: -len(_names(part.device)))
    made: list[NamedDevice] = []
    for kind in sorted(RESOLVED):
        parts = (part for part in (*said, *of_record) if part.device.kind == kind)
        made += [_part(kind, names) for names in united(map(_described, parts))]
    return Resolver(parts=made, hosts=hosts)


def _at_home(device: Device, known: Resolver) -> Device:
    """Return a device of a host that is none as the record has it, by its UUID."""
    return known.complete(device) if known.is_stranger(device.host) else device


def _names(device: Device) -> dict[str, Value]:
    """Return the names of a part, the most lasting first. A GPU's `name` is none of its own."""
    said = {
        "uuid": device.uuid,
        "pci": device.pci,
        "name": device.name if device.kind == "nic" else None,
        "index": device.index if device.kind == "gpu" else None,
    }
    return {name: value for name, value in said.items() if value is not None}


def _described(part: NamedDevice) -> dict[str, Value]:
    alias = {"netdev": part.alias} if part.alias else {}
    return {**_names(part.device), **alias, "host": part.device.host or ""}


def _part(kind: str, names: Mapping[str, Value]) -> NamedDevice:
    said: dict[str, Any] = {name: names.get(name) for name in ("index", "uuid", "pci", "name")}
    device = Device(kind=kind, host=str(names["host"]) or None, **said)
    return NamedDevice(device=device, alias=str(names.get("netdev", "")))


def _where(name: str, device: Device) -> str | None:
    return None if name == "uuid" else device.host


def _agree(one: Device, other: Device) -> bool:
    mine, theirs = _names(one), _names(other)
    return all(mine[name] == theirs[name] for name in mine.keys() & theirs.keys())


def _is_slice(device: Device) -> bool:
    return device.kind == "gpu" and (device.name or "").startswith("MIG ")
