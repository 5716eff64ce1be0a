"""Sightings of parts → which part sat where, from when to when. Pure, and blind to arrival order.

A *sighting* says that a description held over a span: index 3 of gpu017 was the board with this
UUID at this PCI address. Sightings of one description that follow each other closely are one, so
that a part reported every ten minutes for a year is one row. From the set of sightings alone, in
whatever order they came, follows who sat where: the description that is being seen counts, among
several the one that began last; where nobody looks, the one that was seen last goes on.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, Final

from apps.diagnosis.metrics.united import NAMES, OWN, Value, united

# Sightings of one description no further apart are one. Sources that are pulled say it every ten
# minutes; what is uploaded once a day stays a sighting of its own.
GAP: Final = timedelta(hours=1)
PLACES: Final = frozenset(NAMES) - OWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A part as somebody described it, and over which span. Empty and None: not said."""

    host: str
    kind: str
    starts_at: datetime
    ends_at: datetime
    index: int | None = None
    uuid: str = ""
    serial: str = ""
    pci: str = ""
    name: str = ""  # of a NIC or a disk: mlx5_0; never the model of a GPU
    netdev: str = ""
    model: str = ""  # no name: many parts share it

    @property
    def names(self) -> dict[str, Value]:
        """What it is called, without what nobody said."""
        return _names_of(self)

    @property
    def description(self) -> tuple[str, ...]:
        """Everything but the span."""
        return tuple(str(getattr(self, word)) for word in ("host", "kind", *NAMES, "model"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
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
        return _names_of(self)


def condensed(sightings: Iterable[Seen]) -> list[Seen]:
    """Return the sightings with those of one description that follow each other closely as one."""
    done: list[Seen] = []
    for each in sorted(sightings, key=lambda seen: (seen.description, seen.starts_at)):
        last = done[-1] if done else None
        is_same = last is not None and last.description == each.description
        if last is not None and is_same and each.starts_at - last.ends_at <= GAP:
            done[-1] = replace(last, ends_at=max(last.ends_at, each.ends_at))
        else:
            done.append(each)
    return done


def seats(sightings: Collection[Seen], *, hosts: Collection[str]) -> list[Seat]:
    """Return who sat where on these hosts. Sightings of their boards elsewhere belong to it."""
    here: dict[tuple[str, str], list[Seen]] = defaultdict(list)
    of_board: dict[tuple[str, str, Value], list[Seen]] = defaultdict(list)
    for seen in condensed(sightings):
        here[seen.kind, seen.host].append(seen)
        for name in OWN & seen.names.keys():
            of_board[seen.kind, name, seen.names[name]].append(seen)
    found: list[Seat] = []
    for kind, host in sorted(here):
        if host in hosts:
            boards = {
                (kind, name, value)
                for seen in here[kind, host]
                for name, value in seen.names.items()
                if name in OWN
            }
            elsewhere = {s for board in boards for s in of_board[board] if s.host != host}
            concerning = sorted(
                [*here[kind, host], *elsewhere], key=lambda seen: (seen.starts_at, seen.description)
            )
            found += _seats_of(concerning, kind=kind, host=host)
    return found


def _names_of(thing: "Seen | Seat") -> dict[str, Value]:
    said = {name: getattr(thing, name) for name in NAMES}
    return {name: value for name, value in said.items() if value not in {"", None}}


def _seats_of(sightings: Sequence[Seen], *, kind: str, host: str) -> list[Seat]:
    """Walk through the times at which something changed, and let what stays the same go on."""
    edges = sorted({at for seen in sightings for at in (seen.starts_at, seen.ends_at)})
    open_: list[Seat] = []
    closed: list[Seat] = []
    elsewhere = {
        (name, value)
        for seen in sightings
        if seen.host != host
        for name, value in seen.names.items()
        if name in OWN
    }
    for starts_at, ends_at in [*pairwise(edges), *((edge, None) for edge in edges[-1:])]:
        parts = _parts_at(sightings, starts_at, ends_at, host=host)
        following: list[Seat] = []
        for part in parts:
            former = _former(part, open_, closed, elsewhere)
            begun = former or _seat(part, kind=kind, at=starts_at)
            if former:
                open_.remove(former)
            names: dict[str, Any] = {name: part[name] for name in NAMES if name in part}
            following.append(replace(begun, **names))
        closed += [replace(seat, until=starts_at) for seat in open_]
        open_ = following
    return [_as_told(seat, sightings) for seat in _ordered([*closed, *open_])]


def _parts_at(
    sightings: Sequence[Seen], starts_at: datetime, ends_at: datetime | None, *, host: str
) -> list[dict[str, Value]]:
    """Return the parts of a host in a span over which no sighting begins or ends."""
    newest: dict[tuple[str, ...], Seen] = {}
    for seen in sightings:  # in the order of their begin
        if seen.starts_at <= starts_at:
            newest[seen.description] = seen
    # Of what is being seen, the last to begin; then what was seen last.
    begun = sorted(newest.values(), key=lambda seen: seen.description)
    begun.sort(key=lambda seen: _credit(seen, ends_at), reverse=True)
    # A board is where it was seen most credibly, whatever else speaks against it there.
    homes: dict[tuple[str, Value], str] = {}
    for seen in begun:
        for name in OWN & seen.names.keys():
            homes.setdefault((name, seen.names[name]), seen.host)
    said = (
        {
            each: value
            for each, value in seen.names.items()
            if homes.get((each, value), host) == host
        }
        for seen in begun
        if seen.host == host
    )
    parts = united({**names, "host": host} for names in said if names)
    placed_before = {
        (name, seen.names[name])
        for seen in begun
        if seen.host == host and not PLACES.isdisjoint(seen.names)
        for name in OWN & seen.names.keys()
    }
    return [
        part
        for part in parts
        # A board that had a place here and lost it to another is not here any more.
        if part["host"] == host and (PLACES & part.keys() or placed_before.isdisjoint(part.items()))
    ]


def _credit(seen: Seen, ends_at: datetime | None) -> tuple[bool, datetime, datetime]:
    is_seen = ends_at is not None and seen.ends_at >= ends_at
    if is_seen:
        return True, seen.starts_at, seen.ends_at
    return False, seen.ends_at, seen.starts_at


def _former(
    part: dict[str, Value],
    open_: Sequence[Seat],
    closed: Sequence[Seat],
    elsewhere: Collection[tuple[str, Value]],
) -> Seat | None:
    """Return the seat that goes on with this part: nothing of it changed, though more is known."""
    for seat in open_:
        known = seat.names
        if known.items() <= part.items() and known:
            gained = part.items() - known.items() - {("host", part["host"])}
            # Nobody knows when a board came that also was elsewhere.
            if gained.isdisjoint(elsewhere) and all(
                _was_free(name, value, seat, (*open_, *closed)) for name, value in gained
            ):
                return seat
    return None


def _was_free(name: str, value: Value, seat: Seat, others: Sequence[Seat]) -> bool:
    """Say whether a newly known name can have been the seat's from its begin."""
    for other in others:
        if other is seat:
            continue
        if other.names.get(name) == value and (other.until is None or other.until > seat.since):
            return False
        # After another board in the same place nobody knows when this one came.
        is_same_place = any(
            other.names.get(place) == at for place, at in seat.names.items() if place in PLACES
        )
        if name in OWN and is_same_place:
            return False
    return True


def _seat(part: dict[str, Value], *, kind: str, at: datetime) -> Seat:
    return Seat(host=str(part["host"]), kind=kind, since=at, until=None, last_seen_at=at)


def _tells_of(said: dict[str, Value], names: dict[str, Value]) -> bool:
    """Say whether a description is of a board, whatever its place was then, or of this place."""
    own = OWN & said.keys() & names.keys()
    return any(said[name] == names[name] for name in own) or said.items() <= names.items()


def _as_told(seat: Seat, sightings: Sequence[Seen]) -> Seat:
    """Add when it was seen last, maybe before this stay began, and as which model."""
    told = [
        (min(seen.ends_at, seat.until or seen.ends_at), seen.model)
        for seen in sightings
        if seen.host == seat.host
        and _tells_of(seen.names, seat.names)
        and (seat.until is None or seen.starts_at < seat.until)
    ]
    last = max((at for at, _ in told), default=seat.since)
    return replace(
        seat, last_seen_at=last, model=max((m for m in told if m[1]), default=(last, ""))[1]
    )


def _ordered(found: Iterable[Seat]) -> Iterator[Seat]:
    yield from sorted(
        found,
        key=lambda seat: (
            -1 if seat.index is None else seat.index,
            seat.pci,
            seat.name,
            seat.uuid,
            seat.since,
        ),
    )
