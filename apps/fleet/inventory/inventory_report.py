"""What an upload or metric labels say of nodes, devices, links and mounts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceReport:
    """A part of a node as somebody saw it. Empty and None: not said."""

    kind: str
    name: str = ""
    index: int | None = None
    uuid: str = ""
    pci: str = ""
    serial: str = ""
    netdev: str = ""  # network interface of a NIC
    seen_from: datetime | None = None  # over which span; None: at the time of the report
    seen_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeReport:
    """A node as somebody saw it."""

    name: str
    aliases: tuple[str, ...] = ()
    zone: str = ""
    devices: tuple[DeviceReport, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkReport:
    """A cable: device of a host to port of a switch."""

    host: str
    device: str
    switch: str
    port: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MountReport:
    """A file system; no hosts: every node."""

    path: str
    server: str
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InventoryReport:
    """Everything one upload says."""

    nodes: tuple[NodeReport, ...] = ()
    links: tuple[LinkReport, ...] = ()
    mounts: tuple[MountReport, ...] = ()
    projects: Mapping[str, str] = field(default_factory=dict)  # project → organization slug
    at: datetime | None = None  # when that was so; None: when it was received

    @property
    def count(self) -> int:
        """How many entries it has."""
        return sum(len(each) for each in (self.nodes, self.links, self.mounts, self.projects))
