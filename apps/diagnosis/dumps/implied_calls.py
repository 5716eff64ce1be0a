"""What surely ended, or was surely called, although the rank's own dump does not say it.

A collective that ended at one member was called, and worked on, by every member. What a rank
called before such a one has ended on its device, too, whether or not the rank noticed.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping

from apps.diagnosis.dumps.flight.process_groups import ProcessGroup

Key = tuple[str, tuple[int, ...]]
Sides = Mapping[Key, Mapping[int, ProcessGroup]]


def ended(*, sides: Sides, mixed: Collection[Key]) -> dict[Key, int]:
    """Return the newest collective of each group that ended at any member, -1 for none."""
    return {
        key: max((end for one in side.values() for end in _ends(one, key in mixed)), default=-1)
        for key, side in sides.items()
    }


def settled(*, sides: Sides, ends: Mapping[Key, int]) -> dict[int, int]:
    """Return rank → the place of its last call that is known to have ended elsewhere."""
    places: dict[int, int] = defaultdict(lambda: -1)
    for key, side in sides.items():
        for rank, group in side.items():
            for one in group.unfinished:
                if one.source is None and one.seq <= ends[key]:
                    places[rank] = max(places[rank], one.order)
    return places


def surely_called(*, side: Mapping[int, ProcessGroup], end: int, places: Mapping[int, int]) -> int:
    """Return the newest collective of a group that every member called, with or without a dump."""
    passed = [
        one.seq
        for rank, group in side.items()
        for one in group.unfinished
        if one.source is None and one.order <= places.get(rank, -1)
    ]
    return max([end, *passed])


def _ends(group: ProcessGroup, is_mixed: bool) -> list[int]:  # noqa: FBT001  a property of the group
    said = (group.finished, None if is_mixed else group.completed)
    return [number for number in said if number is not None]
