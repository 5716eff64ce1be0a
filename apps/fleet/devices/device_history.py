"""Sightings of parts → which part sat where, from when to when. Pure, and blind to arrival order.

A *sighting* says that a description held over a span: index 3 of gpu017 was the board with this
UUID at this PCI address. Sightings of one description that follow each other closely are one, so
that a part reported every ten minutes for a year is one row. From the set of sightings alone, in
whatever order they came, follows who sat where: the description that is being seen counts, among
several the one that began last; where nobody looks, the one that was seen last goes on.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from apps.diagnosis.detection.metrics.united_parts import NAMES, OWN, Value
from apps.fleet.devices.credible_observations import PLACES, steps
from apps.fleet.devices.observation import DeviceObservation, names_of
from apps.fleet.devices.related_observations import (
    Key,
    RelatedObservation,
    boards_of,
    groups_of,
    told_of,
)

# Sightings of one description no further apart are one. Sources that are pulled say it every ten
# minutes; what is uploaded once a day stays a sighting of its own.
GAP: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DevicePlacement:
    """One part in one place. `until` None: nobody saw another there since."""

    host: str
    kind: str
    since: datetime
    until: datetime | None
    last_seen_at: datetime
    index: int | None = None
    uuid: str = ""
    serial: str = ""
    pci: str = ""
    name: str = ""
    netdev: str = ""
    model: str = ""

    @property
    def names(self) -> dict[str, Value]:
        """What it is called, without what nobody said."""
        return names_of(self)


def condensed(sightings: Iterable[DeviceObservation]) -> list[DeviceObservation]:
    """Return the sightings with those of one description that follow each other closely as one."""
    done: list[DeviceObservation] = []
    for each in sorted(sightings, key=lambda seen: (seen.description, seen.starts_at)):
        last = done[-1] if done else None
        is_same = last is not None and last.description == each.description
        if last is not None and is_same and each.starts_at - last.ends_at <= GAP:
            done[-1] = replace(last, ends_at=max(last.ends_at, each.ends_at))
        else:
            done.append(each)
    return done


def placements(
    sightings: Collection[DeviceObservation],
    *,
    hosts: Collection[str],
    shared: Collection[Key] = (),
) -> list[DevicePlacement]:
    """Return who sat where on these hosts. Sightings of their boards elsewhere belong to it.

    `shared` are names that too many hosts have to be those of a board.
    """
    here: dict[tuple[str, str], list[RelatedObservation]] = defaultdict(list)
    told = [told_of(seen) for seen in condensed(sightings)]
    for each in told:
        here[each.seen.kind, each.seen.host].append(each)
    boards = boards_of(told, shared=shared)
    found: list[DevicePlacement] = []
    for kind, host in sorted(here):
        if host in hosts:
            concerning = _concerning(here[kind, host], boards, host=host)
            groups = groups_of(concerning, host=host)
            of_host = (
                placement
                for group in groups
                for placement in _placements_of(group, kind=kind, host=host)
            )
            found += _ordered(of_host)
    return found


def _concerning(
    here: Sequence[RelatedObservation],
    boards: Mapping[tuple[str, str, Value], Sequence[RelatedObservation]],
    *,
    host: str,
) -> list[RelatedObservation]:
    """Return the sightings of a host, and those of its boards elsewhere, by their begin."""
    own = {
        (each.seen.kind, name, each.names[name])
        for each in here
        for name in OWN & each.names.keys()
    }
    elsewhere = {
        id(each): each for board in own for each in boards.get(board, ()) if each.seen.host != host
    }
    return sorted(
        [*here, *elsewhere.values()], key=lambda each: (each.seen.starts_at, each.description)
    )


def _placements_of(
    sightings: Sequence[RelatedObservation], *, kind: str, host: str
) -> list[DevicePlacement]:
    """Walk through the times at which something changed, and let what stays the same go on."""
    open_: list[DevicePlacement] = []
    closed: list[DevicePlacement] = []
    elsewhere = {
        (name, each.names[name])
        for each in sightings
        if each.seen.host != host
        for name in OWN & each.names.keys()
    }
    for starts_at, parts in steps(sightings, host=host):
        following: list[DevicePlacement] = []
        for part in parts:
            former = _former(part, open_, closed, elsewhere)
            begun = former or _placement(part, kind=kind, at=starts_at)
            if former:
                open_.remove(former)
            names: dict[str, Any] = {name: part[name] for name in NAMES if name in part}
            following.append(replace(begun, **names))
        closed += [replace(placement, until=starts_at) for placement in open_]
        open_ = following
    return [_as_told(placement, sightings) for placement in (*closed, *open_)]


def _former(
    part: dict[str, Value],
    open_: Sequence[DevicePlacement],
    closed: Sequence[DevicePlacement],
    elsewhere: Collection[tuple[str, Value]],
) -> DevicePlacement | None:
    """Return the placement that goes on with this part: more may be known, nothing changed."""
    for placement in open_:
        known = placement.names
        if known.items() <= part.items() and known:
            gained = part.items() - known.items() - {("host", part["host"])}
            # Nobody knows when a board came that also was elsewhere.
            if gained.isdisjoint(elsewhere) and all(
                _was_free(name, value, placement, (*open_, *closed)) for name, value in gained
            ):
                return placement
    return None


def _was_free(
    name: str, value: Value, placement: DevicePlacement, others: Sequence[DevicePlacement]
) -> bool:
    """Say whether a newly known name can have been the placement's from its begin."""
    for other in others:
        if other is placement:
            continue
        if other.names.get(name) == value and (
            other.until is None or other.until > placement.since
        ):
            return False
        # After another board in the same place nobody knows when this one came.
        is_same_place = any(
            other.names.get(place) == at for place, at in placement.names.items() if place in PLACES
        )
        if name in OWN and is_same_place:
            return False
    return True


def _placement(part: dict[str, Value], *, kind: str, at: datetime) -> DevicePlacement:
    return DevicePlacement(host=str(part["host"]), kind=kind, since=at, until=None, last_seen_at=at)


def _tells_of(said: Mapping[str, Value], names: Mapping[str, Value]) -> bool:
    """Say whether a description is of a board, whatever its place was then, or of this place."""
    own = OWN & said.keys() & names.keys()
    return any(said[name] == names[name] for name in own) or said.items() <= names.items()


def _as_told(
    placement: DevicePlacement, sightings: Sequence[RelatedObservation]
) -> DevicePlacement:
    """Add when it was seen last, maybe before this placement began, and as which model."""
    names = placement.names
    told = [
        (min(each.seen.ends_at, placement.until or each.seen.ends_at), each.seen.model)
        for each in sightings
        if each.seen.host == placement.host
        and (placement.until is None or each.seen.starts_at < placement.until)
        and _tells_of(each.names, names)
    ]
    last = max((at for at, _ in told), default=placement.since)
    return replace(
        placement, last_seen_at=last, model=max((m for m in told if m[1]), default=(last, ""))[1]
    )


def _ordered(found: Iterable[DevicePlacement]) -> Iterator[DevicePlacement]:
    yield from sorted(
        found,
        key=lambda placement: (
            -1 if placement.index is None else placement.index,
            placement.pci,
            placement.name,
            placement.uuid,
            placement.since,
        ),
    )
