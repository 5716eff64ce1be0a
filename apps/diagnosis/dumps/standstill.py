"""The dumps of all ranks → whom everybody waits for, or which calls don't fit together.

A rank is *behind* when others called an operation that it never called. It is *missing* when it is
behind and nothing that it waits for itself explains that: ranks that wait for the missing one fall
behind elsewhere, and are not to blame.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from apps.diagnosis.dumps import others
from apps.diagnosis.dumps.flight_recorder import FlightRecord, Group, Operation
from apps.diagnosis.dumps.mismatch import Mismatch, first_mismatch

Key = tuple[str, tuple[int, ...]]  # one name may stand for several groups

# With more dumps missing than this, what is missing says nothing about a rank.
MOST_SILENT_SHARE = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """An operation that some ranks called and others did not."""

    group: str
    desc: str
    seq: int
    name: str
    at_ns: int  # when the first of them called it
    waiting: tuple[int, ...]
    absent: tuple[int, ...]  # wrote a dump that doesn't hold the call
    unknown: tuple[int, ...] = ()  # wrote no dump


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


@dataclass(frozen=True, slots=True)
class _Scene:
    """All records by rank and by group, each group with its members."""

    records: Mapping[int, FlightRecord]
    sides: Mapping[Key, Mapping[int, Group]]
    mixed: frozenset[Key]
    surely: Mapping[Key, int]  # collective that every member called, dump or not
    settled: Mapping[int, int]  # rank → place of the last call that ended, noticed or not

    def members(self, key: Key) -> tuple[int, ...]:
        return key[1] or tuple(sorted(self.sides[key]))


def standstill(*, records: Iterable[FlightRecord]) -> Standstill:
    """Return where the ranks stand still. Independent of order and doubles."""
    scene = _scene(records)
    world = {rank for key in scene.sides for rank in scene.members(key)} | set(scene.records)
    waits = [*_collective_waits(scene), *_pair_waits(scene)]
    collective = [one for one in waits if _is_collective(one)]
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


def _scene(records: Iterable[FlightRecord]) -> _Scene:
    by_rank = newest(records=records)
    sides: dict[Key, dict[int, Group]] = defaultdict(dict)
    for rank, record in sorted(by_rank.items()):
        for group in record.groups:
            sides[group.name, group.ranks][rank] = group
    mixed = {key for key, side in sides.items() if any(one.is_mixed for one in side.values())}
    ends = others.ended(sides=sides, mixed=mixed)
    places = others.settled(sides=sides, ends=ends)
    surely = {
        key: others.surely_called(side=side, end=ends[key], places=places)
        for key, side in sides.items()
    }
    return _Scene(
        records=by_rank, sides=sides, mixed=frozenset(mixed), surely=surely, settled=places
    )


def _is_collective(wait: Wait) -> bool:
    return wait.name not in {"send", "recv"}


def _first_call(wait: Wait) -> tuple[bool, int, str, int]:
    """Order waits by what they tell: collectives first, then the earliest."""
    return (not _is_collective(wait), wait.at_ns, wait.group, wait.seq)


def _collective_waits(scene: _Scene) -> list[Wait]:
    """Return, for each group that waits, the newest collective and who never called it."""
    found = []
    for key, side in scene.sides.items():
        opened = {rank: ops for rank, one in side.items() if (ops := _collectives(one))}
        last = max((ops[-1].seq for ops in opened.values()), default=None)
        if last is None:
            continue
        posters = [rank for rank, ops in opened.items() if ops[-1].seq == last]
        at_ns = min(opened[rank][-1].at_ns for rank in posters)
        said = {rank: _called(scene, key, rank, last, at_ns) for rank in scene.members(key)}
        absent = tuple(rank for rank, has in said.items() if has is False)
        unknown = tuple(rank for rank, has in said.items() if has is None)
        if absent or unknown:
            found.append(_wait(scene, key, opened, absent, unknown))
    return found


def _wait(
    scene: _Scene,
    key: Key,
    opened: Mapping[int, Sequence[Operation]],
    absent: tuple[int, ...],
    unknown: tuple[int, ...],
) -> Wait:
    """Tell of the first call that an absent rank did not make."""
    reached = [one for rank in absent if (one := _reached(scene, key, rank)) is not None]
    floor = min(reached, default=-1)
    ahead = [
        (one.seq, one.at_ns, one, rank)
        for rank, ops in opened.items()
        for one in ops
        if one.seq > floor
    ]
    seq, at_ns, first, _ = min(ahead, key=lambda one: one[:2])
    return Wait(
        group=key[0],
        desc=next(iter(scene.sides[key].values())).desc,
        seq=seq,
        name=first.name,
        at_ns=at_ns,
        waiting=tuple(sorted({rank for *_, rank in ahead})),
        absent=absent,
        unknown=unknown,
    )


def _called(scene: _Scene, key: Key, rank: int, seq: int, at_ns: int) -> bool | None:
    """Say whether a rank called a collective; None where its dump can't tell."""
    record = scene.records.get(rank)
    if record is None:
        return True if scene.surely[key] >= seq else None
    reached = _reached(scene, key, rank)
    if reached is not None and reached >= seq:
        return True
    own = scene.sides[key].get(rank)
    if own is not None and (own.newest is not None or reached is not None):
        return False
    # Nothing of this group in the record: was the record long enough to hold it?
    is_long_enough = record.since_ns is None or record.since_ns <= at_ns
    return False if is_long_enough else None


def _reached(scene: _Scene, key: Key, rank: int) -> int | None:
    """Return the last collective that a rank called. In a mixed group the status counts sends."""
    own = scene.sides[key].get(rank)
    if own is None:
        return None
    said = (own.newest, None if key in scene.mixed else own.enqueued)
    return max((one for one in said if one is not None), default=None)


def _collectives(group: Group) -> list[Operation]:
    return sorted((o for o in group.unfinished if o.source is None), key=lambda one: one.seq)


def _pair_waits(scene: _Scene) -> list[Wait]:
    """Return the sends and receives that the other side has not called."""
    found = []
    for key, side in scene.sides.items():
        opened: dict[tuple[int, int], dict[str, list[Operation]]] = {}
        own = (each for rank in side for each in _own_pairs(scene, key, rank))
        for pair, operation in own:
            opened.setdefault(pair, {"send": [], "recv": []})[operation.name].append(operation)
        for (source, target), both in sorted(opened.items()):
            spare = len(both["send"]) - len(both["recv"])
            if spare:
                name, caller, other = (
                    ("send", source, target) if spare > 0 else ("recv", target, source)
                )
                first = min(both[name][-abs(spare) :], key=lambda one: one.at_ns)
                has_dump = other in scene.records
                found.append(
                    Wait(
                        group=key[0],
                        desc=side[caller].desc,
                        seq=first.seq,
                        name=name,
                        at_ns=first.at_ns,
                        waiting=(caller,),
                        absent=(other,) if has_dump else (),
                        unknown=() if has_dump else (other,),
                    )
                )
    return found


def _own_pairs(scene: _Scene, key: Key, rank: int) -> Iterator[tuple[tuple[int, int], Operation]]:
    """Yield a rank's sends and receives with the global ranks of both ends."""
    for one in scene.sides[key][rank].unfinished:
        if one.source is None or one.target is None or one.order <= scene.settled.get(rank, -1):
            continue
        if max(one.source, one.target) >= len(key[1]):
            continue
        source, target = key[1][one.source], key[1][one.target]
        if rank == (source if one.name == "send" else target):
            yield (source, target), one


def _missing(scene: _Scene, waits: Sequence[Wait], all_waits: Sequence[Wait]) -> set[int]:
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


def _excuses(scene: _Scene, excuse: Wait, rank: int, wait: Wait) -> bool:
    """Say whether what a rank waits for keeps it from a call that others made.

    It doesn't where those others wait for the same and made the call all the same.
    """
    if not {*excuse.absent, *excuse.unknown} - {rank}:
        return False
    return any(caller not in excuse.waiting for caller in wait.waiting)


def _silent(scene: _Scene, waits: Sequence[Wait], world: set[int]) -> set[int]:
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


def _first_open(record: FlightRecord) -> tuple[str, Operation] | None:
    calls = [(group.name, one) for group in record.groups for one in group.unfinished]
    return min(calls, key=lambda one: (one[1].order, one[0], one[1].seq), default=None)


def _is_at(first: tuple[str, Operation] | None, wait: Wait) -> bool:
    if first is None or first[0] != wait.group:
        return False
    is_pair = first[1].source is not None
    return is_pair == (not _is_collective(wait)) and (not is_pair or first[1].name == wait.name)


def _stalled(scene: _Scene) -> Wait | None:
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
