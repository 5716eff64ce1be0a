"""Entries of a timeline by their time: a story is looked through once, not for each window.

A long story has thousands of entries, and a page or a window shows few of them. What stands around
it, saves, changes or the verdict, are few: they are looked through anew each time.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.incidents.story_reading.made_once import MadeOnce
from apps.web.lanes.elements import Entry
from apps.web.lanes.urgency import CALM, URGENCY

Column = NDArray[np.int64]
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
TICK: Final = timedelta(microseconds=1)
NEVER: Final = int(np.iinfo(np.int64).min)
# What people did or changed matters however far off it is.
KEPT_LANES: Final = frozenset({"people", "changes"})


@dataclass(frozen=True, slots=True)
class Observed:
    """What was observed in a stretch of time, as columns; `places` are those of what is placed."""

    at: Column
    counts: Column
    urgencies: Column
    places: Column


def ticks_in(length: timedelta) -> int:
    """Return a length as whole microseconds: they compare exactly."""
    return length // TICK


def ticks_of(at: datetime) -> int:
    """Return an instant as whole microseconds."""
    return ticks_in(at - EPOCH)


def instant_of(ticks: int) -> datetime:
    """Return the instant of so many microseconds."""
    return EPOCH + int(ticks) * TICK


class EntryIndex:
    """Entries that never change, in the order of their story, with what windows ask of them."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = tuple(entries)
        self.hidden = [each for each in self.entries if each.is_hidden]
        self.placed = place_untimed([each for each in self.entries if not each.is_hidden])
        self.at_edge = [each for each in self.entries if each.stays_in_view]
        self.by_role: dict[str, list[Entry]] = defaultdict(list)
        for each in self.entries:
            self.by_role[each.role].append(each)

    @cached_property
    def _at(self) -> Column:
        return np.array([ticks_of(at) for at, _ in self.placed], dtype=np.int64)

    @cached_property
    def _until(self) -> Column:
        ends = (ticks_of(each.ends_at) if each.ends_at else 0 for _, each in self.placed)
        found = np.fromiter(ends, dtype=np.int64, count=len(self.placed))
        return np.where(found, found, self._at)

    @cached_property
    def _is_inside(self) -> NDArray[np.bool_]:
        """Of each whether it is told in a window only."""
        return np.array([not each.stays_in_view for _, each in self.placed], dtype=np.bool_)

    @cached_property
    def _is_observed(self) -> NDArray[np.bool_]:
        told = [each.at is not None and not each.is_band for _, each in self.placed]
        return np.array(told, dtype=np.bool_)

    @cached_property
    def _urgency(self) -> Column:
        return np.array([URGENCY.get(each.role, 9) for _, each in self.placed], dtype=np.int64)

    @cached_property
    def _counts(self) -> Column:
        return np.array([each.count for _, each in self.placed], dtype=np.int64)

    @cached_property
    def initials(self) -> dict[str, frozenset[str]]:
        """By lane the letters of those who fill it."""
        found: dict[str, set[str]] = defaultdict(set)
        for each in self.entries:
            found[each.lane].add(each.initial)
        return {lane: frozenset(letters) for lane, letters in found.items()}

    @cached_property
    def owners(self) -> dict[str, datetime | None]:
        """Those whose entries they are, with the instant of their first."""
        first: dict[str, datetime] = {}
        for at, each in self.placed:
            first[each.owner] = min(at, first.get(each.owner, at))
        return {**dict.fromkeys(each.owner for each in self.entries), **first}

    @cached_property
    def extent(self) -> tuple[datetime, datetime] | None:
        """The first and the last instant that is told inside of windows."""
        told = (each for each in self.entries if not each.stays_in_view)
        times = [at for each in told for at in (each.at, each.ends_at) if at]
        return (min(times), max(times)) if times else None

    @cached_property
    def _urgent_times(self) -> list[datetime]:
        urgent = (each for each in self.entries if each.role not in CALM)
        return sorted(at for each in urgent for at in (each.at, each.ends_at) if at)

    @cached_property
    def references(self) -> dict[str, list[Entry]]:
        """By a fact that is told of the entries that tell of it, folded or not."""
        found: dict[str, list[Entry]] = defaultdict(list)
        for each in self.entries:
            for reference in {one.reference for one in each.members or (each,)} - {""}:
                found[reference].append(each)
        return found

    @cached_property
    def _ends(self) -> Column:
        """When each entry is over, placed or not; without a time at no time."""
        ends = (ticks_of(each.ends_at or each.at) if each.at else NEVER for each in self.entries)
        return np.fromiter(ends, dtype=np.int64, count=len(self.entries))

    @cached_property
    def _is_anywhere(self) -> NDArray[np.bool_]:
        """Of each entry whether a list shows it wherever it begins."""
        anywhere = [each.at is None or each.lane in KEPT_LANES for each in self.entries]
        return np.array(anywhere, dtype=np.bool_)

    @cached_property
    def _has_begun_it(self) -> NDArray[np.bool_]:
        return np.array([each.role == "initiating" for each in self.entries], dtype=np.bool_)

    @cached_property
    def _starts(self) -> Column:
        """When each entry is, placed or not; without a time at no time."""
        starts = (ticks_of(each.at) if each.at else NEVER for each in self.entries)
        return np.fromiter(starts, dtype=np.int64, count=len(self.entries))

    @cached_property
    def places(self) -> Column:
        """The places of all entries."""
        return np.arange(len(self.entries))

    def first_begun(self, places: Column) -> int:
        """Return which of these places is the first whose entry may have begun it all, else 0."""
        found = np.flatnonzero(self._has_begun_it[places])
        return int(found[0]) if len(found) else 0

    def first_after(self, places: Column, at: datetime) -> int:
        """Return which of these places is the first whose entry is later, else how many."""
        found = np.flatnonzero(self._starts[places] > ticks_of(at))
        return int(found[0]) if len(found) else len(places)

    def listed(self, begin: datetime, end: datetime) -> Column:
        """Return the places of what a list around a stop shows, both ends included."""
        is_in = (self._ends >= ticks_of(begin)) & (self._ends <= ticks_of(end))
        return np.flatnonzero(self._is_anywhere | is_in)

    def within(self, begin: datetime, end: datetime) -> list[tuple[datetime, Entry]]:
        """Return what stands in a window, each with its instant, or its neighbour's."""
        is_in = (self._at < ticks_of(end)) & (self._until >= ticks_of(begin))
        return [self.placed[place] for place in np.flatnonzero(is_in)]

    def outside(self, begin: datetime, end: datetime) -> tuple[int, int]:
        """Return how many stand before and after a window, without those told at its edge."""
        before = self._is_inside & (self._until < ticks_of(begin))
        after = self._is_inside & (self._at >= ticks_of(end))
        return int(before.sum()), int(after.sum())

    def urgent_between(self, lowest: datetime, highest: datetime) -> list[datetime]:
        """Return the instants of what tells the story, by time."""
        return [at for at in self._urgent_times if lowest <= at <= highest]

    def observed(self, first: datetime, last: datetime) -> Observed:
        """Return what was observed in a stretch of time, both ends included."""
        begin, end = ticks_of(first), ticks_of(last)
        places = np.flatnonzero(self._is_observed & (self._at >= begin) & (self._at <= end))
        return Observed(self._at[places], self._counts[places], self._urgency[places], places)


INDEXES: Final = MadeOnce[tuple[Entry, ...], EntryIndex](
    24_000, lambda each: len(each if isinstance(each, tuple) else each.entries)
)


def index_of(told: Sequence[Entry]) -> EntryIndex:
    """Return a story's index; as a tuple it is looked through once."""
    return INDEXES.of(told, EntryIndex) if isinstance(told, tuple) else EntryIndex(told)


class IndexedTimeline:
    """A story with what stands around it."""

    def __init__(self, told: Sequence[Entry], around: Sequence[Entry] = ()) -> None:
        """`told` is a story in its order; as a tuple it is looked through once for all windows."""
        self.told, self.around = index_of(told), EntryIndex(around)
        # What begins without a time takes that of a neighbour, whoever tells of it.
        if around and not (told and told[0].at):
            self.told, self.around = EntryIndex([*told, *around]), EntryIndex(())

    @property
    def parts(self) -> tuple[EntryIndex, EntryIndex]:
        """Return both."""
        return self.told, self.around

    def of_role(self, role: str) -> Iterator[Entry]:
        """Yield what has a role."""
        return chain.from_iterable(part.by_role.get(role, ()) for part in self.parts)

    def owners(self) -> list[str]:
        """Return those whose entries they are, by their first; who tells no time stands last."""
        told = [pair for part in self.parts for pair in part.owners.items()]
        timed = sorted(((at, owner) for owner, at in told if at), key=itemgetter(0))
        return list(dict.fromkeys([*(owner for _, owner in timed), *(owner for owner, _ in told)]))

    def telling_of(self, reference: str) -> Iterator[Entry]:
        """Yield what tells of a fact."""
        return chain.from_iterable(part.references.get(reference, ()) for part in self.parts)


def timeline_of(entries: "Sequence[Entry] | IndexedTimeline") -> IndexedTimeline:
    """Return entries as a timeline."""
    return entries if isinstance(entries, IndexedTimeline) else IndexedTimeline(entries)


def place_untimed(entries: Sequence[Entry]) -> list[tuple[datetime, Entry]]:
    """Give an entry without a time the instant of the neighbour before it, else after it."""
    known = next((entry.at for entry in entries if entry.at), None)
    placed: list[tuple[datetime, Entry]] = []
    for entry in entries:
        known = entry.at or known
        if known is not None:
            placed.append((known, entry))
    return placed
