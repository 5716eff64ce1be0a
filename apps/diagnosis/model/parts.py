"""What is where: devices, placements, what a scheduler said, which sources were there."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from apps.diagnosis.model.words import CoverageState, EndState, empty


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A part that can be blamed.

    PCI addresses are `dddd:bb:dd.f`, lower case; UUIDs lower case without `GPU-`.
    """

    kind: str  # node gpu nvswitch nic link switch mount server process rank program
    host: str | None = None
    rank: int | None = None
    index: int | None = None
    uuid: str | None = None
    pci: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where one rank ran."""

    rank: int
    host: str
    gpu: int | None = None
    pci: str | None = None
    uuid: str | None = None
    pid: int | None = None  # as its own log prints it
    adapters: tuple[str, ...] = ()  # RDMA devices that the process uses
    communicators: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """What is where. Anything may be missing; missing links are never guessed."""

    hosts: tuple[str, ...] = ()  # hosts the attempt ran on
    placements: tuple[Placement, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=empty)  # other spelling (FQDN, IP) → host
    devices: tuple[Device, ...] = ()
    mounts: Mapping[str, str] = field(default_factory=empty)  # mount point → file server
    zones: Mapping[str, str] = field(default_factory=empty)  # host → IANA zone
    switches: Mapping[str, str] = field(default_factory=empty)  # "host/adapter" → its switch


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFacts:
    """What a scheduler or operator said about the attempt. Every field may be missing."""

    state: EndState | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    exit_codes: Mapping[int, int] = field(
        default_factory=lambda: MappingProxyType({})
    )  # rank → code
    world_size: int | None = None
    names: tuple[str, ...] = ()  # job id, job name: how schedulers' lines call it
    has_more: bool = False  # more of its logs may come: where they end is no sign


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Whether one kind of source was there for the hosts that were expected to have it."""

    source: str  # session-log kernel-log scheduler-log storage-log metrics …
    state: CoverageState
    hosts_present: int = 0
    hosts_expected: int = 0
    missing_hosts: tuple[str, ...] = ()
