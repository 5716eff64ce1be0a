"""What a whole source said as one reading of bounded size: a line that is repeated a million times
is a few events that know their number.

A verdict can't tell the difference: the first and the last of each minute stay, with all that they
say. Only a voice that repeats one signature in ever new words is cut to its minutes.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace

from apps.diagnosis.model import Event, Extent, LogLine, Origin, Reading
from apps.offline.steps_beside import StepsBeside

# Of one voice and signature; further ones count as equal.
FULL = 100
VARYING = re.compile(r"[\d.:]+", re.ASCII)


@dataclass(slots=True)
class _Told:
    """One fact told again and again within a minute."""

    first: Event
    last: Event | None = None
    count: int = 1

    def add(self, event: Event) -> None:
        """Take the same fact once more; the earliest and the latest stay."""
        self.count += event.count
        if _is_before(event, self.first):
            self.first, event = event, self.last or self.first
        if self.last is None or not _is_before(event, self.last):
            self.last = event

    def events(self) -> Iterable[Event]:
        """Return the first and the last, which together count all."""
        if self.last is None:
            return (self.first,)
        return (replace(self.first, count=self.count - 1), replace(self.last, count=1))


def _is_before(one: Event, other: Event) -> bool:
    """Return whether a line was written before another of the same minute."""
    if one.line.at is not None and other.line.at is not None:
        return one.line.at < other.line.at
    if one.line.local_at is not None and other.line.local_at is not None:
        return one.line.local_at < other.line.local_at
    return False


class Condenser:
    """Take readings of one source in order, and return them as one."""

    def __init__(self, *, origin: Origin) -> None:
        self._origin = origin
        self._told: dict[Hashable, _Told] = {}
        self._spoken: Counter[Hashable] = Counter()
        self._progress: dict[Hashable, Event] = {}
        self._extents: dict[Hashable, Extent] = {}
        self._steps = StepsBeside()

    def add(self, reading: Reading) -> None:
        """Take the next reading of the source."""
        self._steps.add(reading)
        for event in reading.events:
            self._add(event)
        for event in reading.progress:
            self._progress[event.line.host, event.line.rank, event.signature] = event
        for extent in reading.extents:
            key = (extent.host, extent.rank, extent.stream)
            known = self._extents.get(key)
            self._extents[key] = extent if known is None else _joined(known, extent)

    def reading(self) -> Reading:
        """Return what all of them said."""
        events = [event for told in self._told.values() for event in told.events()]
        return Reading(
            origin=self._origin,
            events=tuple(sorted(events, key=lambda one: one.line.number)),
            progress=tuple(self._progress.values()),
            extents=tuple(self._extents.values()),
            points=self._steps.points(),
        )

    def _add(self, event: Event) -> None:
        line = event.line
        voice = (event.signature, line.host, line.rank, _minute(line))
        key: Hashable = (voice, _words(event))
        told = self._told.get(key)
        if told is None:
            self._spoken[voice[:3]] += 1
            if self._spoken[voice[:3]] > FULL:
                key = voice
                told = self._told.get(key)
        if told is None:
            self._told[key] = _Told(event)
        else:
            told.add(event)


def _minute(line: LogLine) -> Hashable:
    at = line.at or line.local_at
    if at is not None:
        return at.replace(second=0, microsecond=0)
    return None if line.uptime_seconds is None else line.uptime_seconds // 60


def _words(event: Event) -> Hashable:
    """Return all that a rule could read from an event, but where in the source it stands."""
    line = event.line
    speaker = (line.local_rank, line.pid, line.gpu, line.stream, line.dialect)
    meaning = (event.role, event.layer, event.causes, *event.fields.items())
    return (speaker, meaning, VARYING.sub("", line.text))


def _joined(one: Extent, other: Extent) -> Extent:
    """Return two extents of one voice as one."""
    return replace(
        one,
        line_count=one.line_count + other.line_count,
        first_at=min(filter(None, (one.first_at, other.first_at)), default=None),
        last_at=max(filter(None, (one.last_at, other.last_at)), default=None),
        first_local_at=min(filter(None, (one.first_local_at, other.first_local_at)), default=None),
        last_local_at=max(filter(None, (one.last_local_at, other.last_local_at)), default=None),
        last_number=max(one.last_number, other.last_number),
        offset=other.offset or one.offset,
        last_uptime=one.last_uptime if other.last_uptime is None else other.last_uptime,
    )
