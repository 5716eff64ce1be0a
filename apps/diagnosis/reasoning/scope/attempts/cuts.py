"""Where attempts begin: by the clock, by label and, in sources without times, by line."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.diagnosis.input_values import whole_number
from apps.diagnosis.model import Event, Origin, Reading
from apps.diagnosis.observed import rank_of
from apps.diagnosis.reasoning.scope.attempts.clock import starts_by_clock
from apps.diagnosis.reasoning.scope.attempts.left_ranks import left_ranks
from apps.diagnosis.reasoning.scope.attempts.marks import (
    MARKS,
    SURE,
    WAITING,
    At,
    is_failure,
    is_launch,
)

# Paths of launchers that keep the logs of each attempt in a folder of its own.
NUMBERED = re.compile(r"(?:^|[/_.-])(?:attempt|restart|try)[_-]?(\d{1,4})(?=[/_.-]|$)", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """Where attempts begin: by the clock, by label and, in sources without times, by line."""

    at: Sequence[datetime]
    labels: Sequence[int]
    lines: Mapping[str, Sequence[int]]
    heard: Mapping[str, Sequence[tuple[int, datetime]]]  # timed lines of each source, in order
    left: Mapping[str, datetime]  # when the rank of a source without times left, where it says why
    sure: int  # so often a launcher without a clock said that it starts again

    @property
    def count(self) -> int:
        return max(len(self.at), len(self.labels) - 1, self.sure)

    def of_event(self, event: Event, at: datetime | None) -> int:
        label = label_of(event.line.origin)
        if label is not None and label in self.labels:
            return self.labels.index(label)
        if self.at:
            at = at or self._beside(event)
        if at is not None and self.at:
            return bisect_right(self.at, at)
        cuts = self.lines.get(event.line.origin.source, ())[-self.count :]
        # The last attempts are those that every source knows, but for one that ends before.
        left = self.left.get(event.line.origin.source)
        last = bisect_right(self.at, left) if left is not None and self.at else self.count
        return max(0, last - len(cuts) + bisect_right(cuts, event.line.number - 1))

    def _beside(self, event: Event) -> datetime | None:
        """Return when the line before it that prints a time was written, else the line after; none
        beyond a line where the source starts again.
        """
        source, number = event.line.origin.source, event.line.number
        told, cuts = self.heard.get(source, ()), self.lines.get(source, ())
        place = bisect_right(told, number, key=lambda one: one[0])
        if place and not any(told[place - 1][0] <= cut < number for cut in cuts):
            return told[place - 1][1]
        if place < len(told) and not any(number <= cut < told[place][0] for cut in cuts):
            return told[place][1]
        return None


def label_of(origin: Origin) -> int | None:
    """Return the number of an attempt by its label or the folder of its logs."""
    if origin.attempt is not None:
        return origin.attempt
    found = NUMBERED.findall(origin.source)
    return whole_number(found[-1]) if found else None


def cuts_of(readings: Sequence[Reading], at: At) -> Cuts:
    """Return where attempts begin in what was read; nowhere where it was one."""
    labels = sorted({n for one in readings if (n := label_of(one.origin)) is not None})
    events = [event for one in readings for event in (*one.events, *one.progress)]
    if len(labels) > 1:
        begins: dict[int, list[datetime]] = defaultdict(list)
        for event in events:
            label, moment = label_of(event.line.origin), at(event)
            if label is not None and moment is not None:
                begins[label].append(moment)
        stamps = [min(begins[label]) for label in labels[1:] if begins[label]]
        is_whole = len(stamps) == len(labels) - 1 and stamps == sorted(stamps)
        return Cuts(
            at=stamps if is_whole else (), labels=labels, lines={}, heard={}, left={}, sure=0
        )
    heard: dict[str, list[tuple[int, datetime]]] = defaultdict(list)
    for event in events:
        if (moment := at(event)) is not None:
            heard[event.line.origin.source].append((event.line.number, moment))
    return Cuts(
        at=starts_by_clock(events, at),
        labels=(),
        lines={**_by_line(events), **(sure := _restarts(events, at))},
        heard={source: sorted(told) for source, told in heard.items()},
        left=_left(
            [event for event in events if event.line.origin.source not in heard], events, at
        ),
        sure=max(map(len, sure.values()), default=0),
    )


def _left(undated: Sequence[Event], events: Sequence[Event], at: At) -> dict[str, datetime]:
    """Return when launchers say that the rank left whose log ends in a failure, without a time."""
    rows = left_ranks(events, at)
    last: dict[str, Event] = {}
    for event in sorted(undated, key=lambda one: one.order_key):
        last[event.line.origin.source] = event
    return {
        source: max(one.at for one in rows[rank])
        for source, event in last.items()
        if is_failure(event) and (rank := rank_of(event)) in rows and rank is not None
    }


def _restarts(events: Sequence[Event], at: At) -> dict[str, list[int]]:
    """Return where launchers without a clock start again; of many hosts in one log the last."""
    found: dict[str, list[int]] = defaultdict(list)
    spoken: set[str] = set()
    for event in sorted(events, key=lambda one: one.order_key):
        source = event.line.origin.source
        if event.signature in SURE and at(event) is None:
            kept = found[source] if source in spoken else found[source][:-1]
            found[source] = [*kept, event.line.number]
            spoken.discard(source)
        elif event.signature not in WAITING:
            spoken.add(source)
    return found


def _by_line(events: Sequence[Event]) -> dict[str, list[int]]:
    """Return the lines of each source at which a start after a failure tells of another attempt."""
    seen: dict[str, list[int]] = defaultdict(list)
    failed: set[str] = set()
    for event in sorted(events, key=lambda one: one.order_key):
        source = event.line.origin.source
        if source in failed and (is_launch(event) or event.signature in MARKS):
            seen[source].append(event.line.number - 1)
            failed.discard(source)
        elif is_failure(event):
            failed.add(source)
    return seen
