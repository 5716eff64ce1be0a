"""What became another: boards replaced, moved or renumbered, out of the stays. Pure."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from apps.fleet.devices.device_history import DevicePlacement

SAME: Final = timedelta(hours=1)
KINDS: Final = frozenset({"gpu", "nic"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceChange:
    """A stay that began where something else was before. It happened after `last_seen_at`."""

    kind: str  # replaced moved renumbered
    at: datetime  # the first that anybody saw of it
    last_seen_at: datetime  # the last that anybody saw of the former state
    seat: DevicePlacement
    former: DevicePlacement  # who sat there before, or where this board was before


def changes(
    *,
    stays: Iterable[DevicePlacement],
    hosts: Collection[str],
    starts_at: datetime,
    ends_at: datetime,
) -> tuple[DeviceChange, ...]:
    """Return what became another on these hosts in a span, each change once."""
    ordered = sorted(stays, key=lambda seat: (seat.since, seat.host, str(seat.names)))
    found: list[DeviceChange] = []
    told_at: dict[tuple[str, ...], datetime] = {}
    for place, seat in enumerate(ordered):
        is_asked = seat.host in hosts and starts_at <= seat.since <= ends_at
        if is_asked and seat.uuid and seat.kind in KINDS:
            before = [each for each in ordered[:place] if each.kind == seat.kind]
            change = _replaced(seat, before) or _moved(seat, before)
            if change is None:
                continue
            what = (change.kind, seat.host, seat.uuid, change.former.uuid, change.former.host)
            # Another party may tell of the same thing a little later.
            if what not in told_at or seat.since - told_at[what] > SAME:
                found.append(change)
            told_at[what] = seat.since
    return tuple(found)


def _replaced(seat: DevicePlacement, before: Sequence[DevicePlacement]) -> DeviceChange | None:
    """Return which other board sat in this place. An index is one where no address is known."""
    for former in reversed(before):
        if former.host != seat.host or not former.uuid:
            continue
        if former.uuid == seat.uuid:
            return None
        has_address = bool(former.pci and seat.pci)
        names = ("pci", "name") if has_address else ("name", "index")
        if any(each in former.names.items() for each in _some(seat, names)):
            return _change("replaced", seat, former)
    return None


def _moved(seat: DevicePlacement, before: Sequence[DevicePlacement]) -> DeviceChange | None:
    """Return where this board was before, if that was elsewhere or under another number."""
    known = [each for each in before if each.uuid == seat.uuid]
    if not known:
        return None
    former = known[-1]
    if former.host != seat.host or (former.pci and seat.pci and former.pci != seat.pci):
        return _change("moved", seat, former)
    numbered = next((each for each in reversed(known) if each.index is not None), None)
    if numbered is None or seat.index in {None, numbered.index}:
        return None
    return _change("renumbered", seat, numbered)


def _some(seat: DevicePlacement, names: Iterable[str]) -> Iterator[tuple[str, str | int]]:
    said = seat.names
    return ((name, said[name]) for name in names if name in said)


def _change(kind: str, seat: DevicePlacement, former: DevicePlacement) -> DeviceChange:
    return DeviceChange(
        kind=kind,
        at=seat.since,
        last_seen_at=min(former.last_seen_at, seat.since),
        seat=seat,
        former=former,
    )
