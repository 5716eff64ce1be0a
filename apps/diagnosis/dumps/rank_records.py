"""The records of all ranks, side by side in their groups."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from apps.diagnosis.dumps import implied_calls
from apps.diagnosis.dumps.flight.flight_recorder import FlightRecord
from apps.diagnosis.dumps.flight.process_groups import ProcessGroup

Key = tuple[str, tuple[int, ...]]  # one name may stand for several groups


@dataclass(frozen=True, slots=True)
class RankRecords:
    """All records by rank and by group, each group with its members."""

    records: Mapping[int, FlightRecord]
    sides: Mapping[Key, Mapping[int, ProcessGroup]]
    mixed: frozenset[Key]
    surely: Mapping[Key, int]  # collective that every member called, dump or not
    settled: Mapping[int, int]  # rank → place of the last call that ended, noticed or not

    def members(self, key: Key) -> tuple[int, ...]:
        return key[1] or tuple(sorted(self.sides[key]))


def newest(*, records: Iterable[FlightRecord]) -> dict[int, FlightRecord]:
    """Return one record a rank: the last that it wrote, the fullest of those."""
    found: dict[int, FlightRecord] = {}
    for one in records:
        known = found.get(one.rank)
        if known is None or _age(one) > _age(known):
            found[one.rank] = one
    return found


def _age(one: FlightRecord) -> tuple[int, int, str]:
    return (one.until_ns, one.entry_count, repr(one))


def scene_of(records: Iterable[FlightRecord]) -> RankRecords:
    """Return the newest record of each rank, by group. Independent of order and doubles."""
    by_rank = newest(records=records)
    sides: dict[Key, dict[int, ProcessGroup]] = defaultdict(dict)
    for rank, record in sorted(by_rank.items()):
        for group in record.groups:
            sides[group.name, group.ranks][rank] = group
    mixed = {key for key, side in sides.items() if any(one.is_mixed for one in side.values())}
    ends = implied_calls.ended(sides=sides, mixed=mixed)
    places = implied_calls.settled(sides=sides, ends=ends)
    surely = {
        key: implied_calls.surely_called(side=side, end=ends[key], places=places)
        for key, side in sides.items()
    }
    return RankRecords(
        records=by_rank, sides=sides, mixed=frozenset(mixed), surely=surely, settled=places
    )
