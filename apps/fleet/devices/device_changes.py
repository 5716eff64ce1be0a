"""What became another: boards replaced, moved or renumbered, out of the placements. Pure."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from apps.fleet.devices.device_history import DevicePlacement

SAME: Final = timedelta(hours=1)
KINDS: Final = frozenset({"gpu", "nic"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceChange:
    """A placement that began where something else was before. It happened after `last_seen_at`."""

    kind: str  # replaced moved renumbered
    at: datetime  # the first that anybody saw of it
    last_seen_at: datetime  # the last that anybody saw of the former state
    placement: DevicePlacement
    former: DevicePlacement  # who sat there before, or where this board was before


def changes(
    *,
    placements: Iterable[DevicePlacement],
    hosts: Collection[str],
    starts_at: datetime,
    ends_at: datetime,
) -> tuple[DeviceChange, ...]:
    """Return what became another on these hosts in a span, each change once."""
    ordered = sorted(
        placements, key=lambda placement: (placement.since, placement.host, str(placement.names))
    )
    found: list[DeviceChange] = []
    told_at: dict[tuple[str, ...], datetime] = {}
    for place, placement in enumerate(ordered):
        is_asked = placement.host in hosts and starts_at <= placement.since <= ends_at
        if is_asked and placement.uuid and placement.kind in KINDS:
            before = [each for each in ordered[:place] if each.kind == placement.kind]
            change = _replaced(placement, before) or _moved(placement, before)
            if change is None:
                continue
            what = (
                change.kind,
                placement.host,
                placement.uuid,
                change.former.uuid,
                change.former.host,
            )
            # Another party may tell of the same thing a little later.
            if what not in told_at or placement.since - told_at[what] > SAME:
                found.append(change)
            told_at[what] = placement.since
    return tuple(found)


def _replaced(placement: DevicePlacement, before: Sequence[DevicePlacement]) -> DeviceChange | None:
    """Return which other board sat in this place. An index is one where no address is known."""
    for former in reversed(before):
        if former.host != placement.host or not former.uuid:
            continue
        if former.uuid == placement.uuid:
            return None
        has_address = bool(former.pci and placement.pci)
        names = ("pci", "name") if has_address else ("name", "index")
        if any(each in former.names.items() for each in _some(placement, names)):
            return _change("replaced", placement, former)
    return None


def _moved(placement: DevicePlacement, before: Sequence[DevicePlacement]) -> DeviceChange | None:
    """Return where this board was before, if that was elsewhere or under another number."""
    known = [each for each in before if each.uuid == placement.uuid]
    if not known:
        return None
    former = known[-1]
    if former.host != placement.host or (
        former.pci and placement.pci and former.pci != placement.pci
    ):
        return _change("moved", placement, former)
    numbered = next((each for each in reversed(known) if each.index is not None), None)
    if numbered is None or placement.index in {None, numbered.index}:
        return None
    return _change("renumbered", placement, numbered)


def _some(placement: DevicePlacement, names: Iterable[str]) -> Iterator[tuple[str, str | int]]:
    said = placement.names
    return ((name, said[name]) for name in names if name in said)


def _change(kind: str, placement: DevicePlacement, former: DevicePlacement) -> DeviceChange:
    return DeviceChange(
        kind=kind,
        at=placement.since,
        last_seen_at=min(former.last_seen_at, placement.since),
        placement=placement,
        former=former,
    )
