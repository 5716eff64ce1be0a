"""Operations that some ranks called and others did not."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from apps.diagnosis.dumps.flight.process_groups import ProcessGroup, RecordedCall
from apps.diagnosis.dumps.rank_records import Key, RankRecords


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


def is_collective(wait: Wait) -> bool:
    """Say whether all members of a group take part, not only a sender and a receiver."""
    return wait.name not in {"send", "recv"}


def collective_waits(scene: RankRecords) -> list[Wait]:
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
    scene: RankRecords,
    key: Key,
    opened: Mapping[int, Sequence[RecordedCall]],
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


def _called(scene: RankRecords, key: Key, rank: int, seq: int, at_ns: int) -> bool | None:
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


def _reached(scene: RankRecords, key: Key, rank: int) -> int | None:
    """Return the last collective that a rank called. In a mixed group the status counts sends."""
    own = scene.sides[key].get(rank)
    if own is None:
        return None
    said = (own.newest, None if key in scene.mixed else own.enqueued)
    return max((one for one in said if one is not None), default=None)


def _collectives(group: ProcessGroup) -> list[RecordedCall]:
    return sorted((o for o in group.unfinished if o.source is None), key=lambda one: one.seq)


def pair_waits(scene: RankRecords) -> list[Wait]:
    """Return the sends and receives that the other side has not called."""
    found = []
    for key, side in scene.sides.items():
        opened: dict[tuple[int, int], dict[str, list[RecordedCall]]] = {}
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


def _own_pairs(
    scene: RankRecords, key: Key, rank: int
) -> Iterator[tuple[tuple[int, int], RecordedCall]]:
    """Yield a rank's sends and receives with the global ranks of both ends."""
    for one in scene.sides[key][rank].unfinished:
        if one.source is None or one.target is None or one.order <= scene.settled.get(rank, -1):
            continue
        if max(one.source, one.target) >= len(key[1]):
            continue
        source, target = key[1][one.source], key[1][one.target]
        if rank == (source if one.name == "send" else target):
            yield (source, target), one
