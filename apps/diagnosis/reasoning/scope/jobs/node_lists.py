"""Lists of nodes as schedulers print them: node[01-04,9] → names, within limits."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from apps.diagnosis.input_values import MOST_ROWS, whole_number

RANGES = re.compile(r"([\w.-]{1,60})\[([\d,-]{1,4000})\]|([\w.-]{1,80})", re.ASCII)
# A list of more nodes than any cluster has is none; nor has a diagnosis room for lists without end.
MOST_NODES = 20_000
MOST_NAMES = 1_000_000
REPEATED = 64  # a list of so many nodes is written out once


@dataclass(slots=True)
class NodeLists:
    """The lists of nodes that one diagnosis meets, written out while there is room for it."""

    room: int = MOST_NAMES
    _known: dict[str, frozenset[str]] = field(default_factory=dict)

    def nodes_of(self, said: str) -> frozenset[str]:
        """Return the nodes of a list; one that there is no room for stands for itself."""
        known = self._known.get(said)
        if known is None:
            known = nodes_of(said, most=min(MOST_NODES, self.room))
            self.room -= len(known) if "[" in said else 0
            if len(known) >= REPEATED:
                self._known[said] = known
        return known


def nodes_of(said: str, *, most: int = MOST_NODES) -> frozenset[str]:
    """Return the nodes of a list as Slurm writes it: gpu[001-003,007],login1.

    One whose brackets hold more is nobody's nodes: what comes back is the list as it stands.
    """
    found: set[str] = set()
    for stem, ranges, plain in RANGES.findall(said):
        spans = [] if plain else _spans(ranges)
        most -= sum(last - first + 1 for first, last, _ in spans)
        if spans and most < 0:
            return frozenset({said})
        found |= {plain} if plain else {f"{stem}{number}" for number in _numbers(spans)}
    return frozenset(found)


def _spans(ranges: str) -> list[tuple[int, int, int]]:
    """Return first and last number of each range, and how many digits it is written with."""
    found = []
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        start = whole_number(first, most=MOST_ROWS)
        end = whole_number(last or first, most=MOST_ROWS)
        if start is not None and end is not None and start <= end:
            found.append((start, end, len(first)))
    return found


def _numbers(spans: Sequence[tuple[int, int, int]]) -> Iterator[str]:
    for first, last, width in spans:
        yield from (str(number).zfill(width) for number in range(first, last + 1))
