"""Who sat where at an instant: look-ups over the placements of a cluster's parts. Pure."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from apps.diagnosis.detection.metrics.identity import NamedDevice, Resolver, resolver_of
from apps.diagnosis.detection.metrics.united_parts import Value, united
from apps.diagnosis.model import Device
from apps.fleet.devices.device_history import DevicePlacement

# What was first told within such a span of each other sat together before anybody told it.
FIRST_TOLD: Final = timedelta(hours=1)
NOW: Final = datetime.max.replace(tzinfo=UTC)


class Sureness(StrEnum):
    """How well a look-up is founded, the best first."""

    SEEN = "seen"  # somebody saw it there at that time
    HELD = "held"  # seen there before, and no other since
    ASSUMED = "assumed"  # before anybody told what sat there: what was told first


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedDevice:
    """A part at an instant, with every name that it had then."""

    device: Device
    sureness: Sureness
    netdev: str = ""
    serial: str = ""


class DeviceRoster:
    """The placements of a cluster's parts, asked by time."""

    def __init__(self, placements: Iterable[DevicePlacement]) -> None:
        self._placements = sorted(
            placements,
            key=lambda placement: (placement.since, placement.host, str(placement.names)),
        )
        self._begins: dict[tuple[str, str], datetime] = {}
        for placement in self._placements:
            self._begins.setdefault((placement.kind, placement.host), placement.since)
        self._known: dict[datetime, list[tuple[dict[str, Value], LocatedDevice]]] = {}

    def parts(
        self, *, at: datetime | None, hosts: Collection[str] | None = None
    ) -> list[LocatedDevice]:
        """Return the parts of some hosts, or of all, each once; no time: as it is now."""
        return [
            found for _, found in self._at(at or NOW) if hosts is None or found.device.host in hosts
        ]

    def resolver(self, *, at: datetime, told: Iterable[Device], hosts: Collection[str]) -> Resolver:
        """Return what completes the names of series of that time."""
        known = [
            NamedDevice(device=found.device, alias=found.netdev) for found in self.parts(at=at)
        ]
        return resolver_of(told=told, known=known, hosts=hosts)

    def _at(self, at: datetime) -> list[tuple[dict[str, Value], LocatedDevice]]:
        known = self._known.get(at)
        if known is None:
            known = [
                each for kind in sorted({k for k, _ in self._begins}) for each in self._of(kind, at)
            ]
            self._known = {at: known}
        return known

    def _of(self, kind: str, at: datetime) -> list[tuple[dict[str, Value], LocatedDevice]]:
        placements = [
            (sureness, placement)
            for placement in self._placements
            if placement.kind == kind and (sureness := self._sureness(placement, at)) is not None
        ]
        ranks = {sureness: rank for rank, sureness in enumerate(Sureness)}
        # Of several parties' placements those of the surest, then of the one who looked last.
        placements.sort(key=lambda each: each[1].last_seen_at, reverse=True)
        placements.sort(key=lambda each: ranks[each[0]])
        first: dict[tuple[str, str, Value], tuple[Sureness, DevicePlacement]] = {}
        for each in placements:
            for name, value in each[1].names.items():
                first.setdefault((each[1].host, name, value), each)
        found = []
        for names in united(
            {**placement.names, "host": placement.host} for _, placement in placements
        ):
            host = str(names["host"])
            sureness, placement = next(
                first[host, name, value] for name, value in names.items() if name != "host"
            )
            found.append((names, _found(kind, names, sureness, placement.model)))
        return sorted(found, key=lambda each: _order(each[1].device))

    def _sureness(self, placement: DevicePlacement, at: datetime) -> Sureness | None:
        if placement.since <= at and (placement.until is None or at < placement.until):
            return Sureness.SEEN if at <= placement.last_seen_at else Sureness.HELD
        begin = self._begins[placement.kind, placement.host]
        if (
            at < begin
            and placement.since - begin <= FIRST_TOLD
            and not self._was_elsewhere(placement)
        ):
            return Sureness.ASSUMED
        return None

    def _was_elsewhere(self, placement: DevicePlacement) -> bool:
        return bool(placement.uuid) and any(
            other.uuid == placement.uuid
            and other.host != placement.host
            and other.since < placement.since
            for other in self._placements
        )


def _found(kind: str, names: dict[str, Value], sureness: Sureness, model: str) -> LocatedDevice:
    said: dict[str, Any] = {
        name: names.get(name) for name in ("host", "index", "uuid", "pci", "name")
    }
    if kind == "gpu":
        said["name"] = model or None
    return LocatedDevice(
        device=Device(kind=kind, **said),
        sureness=sureness,
        netdev=str(names.get("netdev", "")),
        serial=str(names.get("serial", "")),
    )


def _order(device: Device) -> tuple[str, str, int, str, str]:
    index = -1 if device.index is None else device.index
    return (device.host or "", device.kind, index, device.name or "", device.uuid or "")
