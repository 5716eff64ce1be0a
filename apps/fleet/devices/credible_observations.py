"""Observations of one moment: whom to believe of several, and what became of each part."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Final

from apps.diagnosis.detection.metrics.united_parts import NAMES, OWN, Value, united
from apps.fleet.devices.observation import DeviceObservation
from apps.fleet.devices.related_observations import (
    RelatedObservation,
)

PLACES: Final = frozenset(NAMES) - OWN


def steps(
    sightings: Sequence[RelatedObservation], *, host: str
) -> Iterator[tuple[datetime, list[dict[str, Value]]]]:
    """Yield when it changed what is most credible, and which parts follow from that."""
    edges = sorted({at for each in sightings for at in (each.seen.starts_at, each.seen.ends_at)})
    waiting = deque(sightings)  # in the order of their begin
    newest: dict[tuple[str, ...], RelatedObservation] = {}
    former: list[tuple[str, ...]] = []
    for starts_at, ends_at in zip_longest(edges, edges[1:]):
        while waiting and waiting[0].seen.starts_at <= starts_at:
            each = waiting.popleft()
            newest[each.description] = each
        begun = _by_credit(newest.values(), ends_at)
        order = [each.description for each in begun]
        if order != former:
            former = order
            yield starts_at, _parts_of(begun, host=host)


def _by_credit(
    sightings: Iterable[RelatedObservation], ends_at: datetime | None
) -> list[RelatedObservation]:
    """Of what is being seen, the last to begin; then what was seen last."""
    begun = sorted(sightings, key=lambda each: each.description)
    begun.sort(key=lambda each: _credit(each.seen, ends_at), reverse=True)
    return begun


def _parts_of(begun: Sequence[RelatedObservation], *, host: str) -> list[dict[str, Value]]:
    """Return the parts of a host over a span in which no sighting begins or ends."""
    # A board is where it was seen most credibly, whatever else speaks against it there.
    homes: dict[tuple[str, Value], str] = {}
    for each in begun:
        for name in OWN & each.names.keys():
            homes.setdefault((name, each.names[name]), each.seen.host)
    said = (
        {
            name: value
            for name, value in each.names.items()
            if homes.get((name, value), host) == host
        }
        for each in begun
        if each.seen.host == host
    )
    parts = united({**names, "host": host} for names in said if names)
    placed_before = {
        (name, each.names[name])
        for each in begun
        if each.seen.host == host and not PLACES.isdisjoint(each.names)
        for name in OWN & each.names.keys()
    }
    return [
        part
        for part in parts
        # A board that had a place here and lost it to another is not here any more.
        if part["host"] == host and (PLACES & part.keys() or placed_before.isdisjoint(part.items()))
    ]


def _credit(seen: DeviceObservation, ends_at: datetime | None) -> tuple[bool, datetime, datetime]:
    is_seen = ends_at is not None and seen.ends_at >= ends_at
    if is_seen:
        return True, seen.starts_at, seen.ends_at
    return False, seen.ends_at, seen.starts_at
