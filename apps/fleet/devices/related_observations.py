"""Which sightings of a host bear on each other: those that share a name, directly or by others.

Parts that share no name are worked out apart, so that a host with a thousand parts costs a thousand
times as much as one with one, and not a million times.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from apps.diagnosis.detection.metrics.united_parts import OWN, Value
from apps.fleet.devices.observation import DeviceObservation

# Of a place, or a board, that was described in more ways: the ones that were seen last count.
MOST_DESCRIPTIONS: Final = 64
# What more hosts call their own is the name of no board: a default, a row of zeros.
MOST_HOSTS: Final = 16

Key: TypeAlias = tuple[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RelatedObservation:
    """A sighting with what is asked of it again and again."""

    seen: DeviceObservation
    names: Mapping[str, Value]
    description: tuple[str, ...]


def told_of(seen: DeviceObservation) -> RelatedObservation:
    """Return a sighting with its names and its description worked out."""
    return RelatedObservation(seen=seen, names=seen.names, description=seen.description)


def boards_of(
    told: Iterable[RelatedObservation], *, shared: Collection[Key] = ()
) -> dict[tuple[str, str, Value], list[RelatedObservation]]:
    """Return (kind, name, value) of each board → its sightings, without what names no board.

    `shared` are those that are known to name none from what is not among these sightings.
    """
    found: dict[tuple[str, str, Value], list[RelatedObservation]] = defaultdict(list)
    for each in told:
        for name in OWN & each.names.keys():
            found[each.seen.kind, name, each.names[name]].append(each)
    return {
        board: group
        for board, group in found.items()
        if board[1:] not in shared and len({each.seen.host for each in group}) <= MOST_HOSTS
    }


def groups_of(told: Sequence[RelatedObservation], *, host: str) -> list[list[RelatedObservation]]:
    """Return the sightings in groups that share no name, each in the order it came in."""
    parent = list(range(len(told)))
    first: dict[Key, int] = {}
    for position, each in enumerate(told):
        for key in _keys(each, host):
            _join(parent, position, first.setdefault(key, position))
    groups: dict[int, list[RelatedObservation]] = defaultdict(list)
    for position, each in enumerate(told):
        groups[_root(parent, position)].append(each)
    return [_newest(group) for group in groups.values()]


def _keys(each: RelatedObservation, host: str) -> Collection[Key]:
    """Return what ties a sighting to others: of another host, only the boards' own names."""
    names = each.names.items()
    return names if each.seen.host == host else [key for key in names if key[0] in OWN]


def _newest(group: list[RelatedObservation]) -> list[RelatedObservation]:
    last = {each.description: each.seen.ends_at for each in group}
    if len(last) <= MOST_DESCRIPTIONS:
        return group
    for each in group:
        last[each.description] = max(last[each.description], each.seen.ends_at)
    kept = set(sorted(last, key=lambda said: (last[said], said))[-MOST_DESCRIPTIONS:])
    return [each for each in group if each.description in kept]


def _root(parent: list[int], position: int) -> int:
    while parent[position] != position:
        parent[position] = parent[parent[position]]
        position = parent[position]
    return position


def _join(parent: list[int], one: int, other: int) -> None:
    one, other = _root(parent, one), _root(parent, other)
    parent[max(one, other)] = min(one, other)
