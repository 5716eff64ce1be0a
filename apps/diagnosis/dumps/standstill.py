"""The dumps of all ranks → whom everybody waits for, or which calls don't fit together.

A rank is *behind* when others called an operation that it never called. It is *missing* when it is
behind and nothing that it waits for itself explains that: ranks that wait for the missing one fall
behind elsewhere, and are not to blame.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from apps.diagnosis.dumps.flight.flight_recorder import FlightRecord
from apps.diagnosis.dumps.flight.process_groups import RecordedCall
from apps.diagnosis.dumps.mismatch import Mismatch, first_mismatch
from apps.diagnosis.dumps.missing_calls import Wait, collective_waits, is_collective, pair_waits
from apps.diagnosis.dumps.rank_records import RankRecords, scene_of

# With more dumps missing than this, what is missing says nothing about a rank.
MOST_SILENT_SHARE = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Standstill:
    """Where a session stands still, as far as its dumps tell."""

    missing: tuple[int, ...] = ()
    silent: tuple[int, ...] = ()  # waited for, and the only ones without a dump
    wait: Wait | None = None  # the earliest for a missing or silent rank
    mismatch: Mismatch | None = None
    crossed: tuple[int, ...] = ()  # each waits for another of them
    stalled: Wait | None = None  # all called it and it does not end
    world: int = 0
    dump_count: int = 0

    @property
    def stopped(self) -> tuple[int, ...]:
        """Return the ranks that stopped first: those at odds, else the missing or silent ones."""
        odd = self.mismatch.odd if self.mismatch else ()
        return odd or self.missing or self.silent


def standstill(*, records: Iterable[FlightRecord]) -> Standstill:
    """Return where the ranks stand still. Independent of order and doubles."""
    scene = scene_of(records)
    world = {rank for key in scene.sides for rank in scene.members(key)} | set(scene.records)
    waits = [*collective_waits(scene), *pair_waits(scene)]
    collective = [one for one in waits if is_collective(one)]
    # A send may be over for the sender long before it is for the receiver: asked only then.
    missing = _missing(scene, collective, waits) or _missing(scene, waits, waits)
    silent = set() if missing else _silent(scene, waits, world)
    named = missing | silent
    behind = {rank for wait in waits for rank in wait.absent}
    decisive = [one for one in waits if named & {*one.absent, *one.unknown}]
    is_settled = bool(named) or not scene.records
    is_known = not any(one.unknown for one in waits)
    return Standstill(
        missing=tuple(sorted(missing)),
        silent=tuple(sorted(silent)),
        wait=min(decisive, key=_first_call, default=None),
        mismatch=first_mismatch(sides=scene.sides),
        crossed=tuple(sorted(behind)) if not named and is_known else (),
        stalled=None if is_settled or waits else _stalled(scene),
        world=len(world),
        dump_count=len(scene.records),
    )


def _first_call(wait: Wait) -> tuple[bool, int, str, int]:
    """Order waits by what they tell: collectives first, then the earliest."""
    return (not is_collective(wait), wait.at_ns, wait.group, wait.seq)


def _missing(scene: RankRecords, waits: Sequence[Wait], all_waits: Sequence[Wait]) -> set[int]:
    """Return the ranks that are behind without an excuse of their own."""
    excuses: dict[int, list[Wait]] = defaultdict(list)
    for wait in all_waits:
        for rank in wait.waiting:
            excuses[rank].append(wait)
    return {
        rank
        for wait in waits
        for rank in wait.absent
        if not any(_excuses(scene, one, rank, wait) for one in excuses[rank])
    }


def _excuses(scene: RankRecords, excuse: Wait, rank: int, wait: Wait) -> bool:
    """Say whether what a rank waits for keeps it from a call that others made.

    It doesn't where those others wait for the same and made the call all the same.
    """
    if not {*excuse.absent, *excuse.unknown} - {rank}:
        return False
    return any(caller not in excuse.waiting for caller in wait.waiting)


def _silent(scene: RankRecords, waits: Sequence[Wait], world: set[int]) -> set[int]:
    """Return the ranks without a dump at whose side a rank stopped first of all."""
    without = world - set(scene.records)
    if len(without) > max(1, len(world) * MOST_SILENT_SHARE):
        return set()
    firsts = {rank: _first_open(record) for rank, record in scene.records.items()}
    return {
        other
        for wait in waits
        for other in wait.unknown
        if any(_is_at(firsts[rank], wait) for rank in wait.waiting)
    }


def _first_open(record: FlightRecord) -> tuple[str, RecordedCall] | None:
    calls = [(group.name, one) for group in record.groups for one in group.unfinished]
    return min(calls, key=lambda one: (one[1].order, one[0], one[1].seq), default=None)


def _is_at(first: tuple[str, RecordedCall] | None, wait: Wait) -> bool:
    if first is None or first[0] != wait.group:
        return False
    is_pair = first[1].source is not None
    return is_pair == (not is_collective(wait)) and (not is_pair or first[1].name == wait.name)


def _stalled(scene: RankRecords) -> Wait | None:
    """Return the first call that every member made and that does not end."""
    calls = [
        (one.at_ns, key[0], one.seq, one, key)
        for key, side in scene.sides.items()
        for group in side.values()
        for one in group.unfinished[:1]
    ]
    if not calls:
        return None
    at_ns, name, seq, first, key = min(calls, key=lambda one: one[:3])
    side = scene.sides[key]
    waiting = tuple(sorted(r for r, g in side.items() if any(o.seq == seq for o in g.unfinished)))
    return Wait(
        group=name,
        desc=side[waiting[0]].desc,
        seq=seq,
        name=first.name,
        at_ns=at_ns,
        waiting=waiting,
        absent=(),
    )
