"""Lines that a source repeats without end: the first are told one by one, the others are one event
that counts them and stands where the last one stood.

A driver prints the same error two hundred thousand times, and each is dear to parse. What is equal
but for the second in which it was printed is known by its letters; what changes in every line (an
address, a process) by the part that it is about. The first and the last of each minute stay.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter

from apps.diagnosis.logs.envelopes import Wrappings
from apps.diagnosis.model import Event, Role
from apps.diagnosis.signatures.lines.lazy_line import Asked
from apps.diagnosis.signatures.match import Candidates, SignatureMatch
from apps.diagnosis.signatures.multi_line_record import OpenRecord
from apps.diagnosis.signatures.open_records import KINDS

# Equal lines of a minute that are told one by one.
EQUAL = 20
# Lines of a minute about one part, each in other words, that are told one by one.
FULL = 100
# The same where lines begin records of a process: each may end otherwise.
FULL_RECORDS = 1000
# Of one block: more parts, and words about them, than honest blocks of its size name.
MOST_PARTS = 5_000
# Lines that are known by their letters; what is beyond them is matched each time.
MOST_LINES = 20_000
# Of a clock the seconds, of an uptime what is less than a hundred of them.
SECONDS = re.compile(
    r":\d\d(?<=[T \[]\d\d:\d\d:\d\d)(?:[.,]\d{1,9})?|\d{1,2}\.\d{6}(?=\])", re.ASCII
)
VARYING = re.compile(r"0x[0-9a-fA-F_]{1,40}|[\d.:]{1,40}", re.ASCII)
# What changes from line to line about one part; every other value tells parts apart.
CHANGES = frozenset(
    {"addr", "bytes", "count", "line", "msg", "pid", "rest", "secs", "tid", "time", "total"}
)
# Of what a scheduler says of a job each line counts.
NEVER = "job"
KERNEL_KINDS = frozenset(name for name, kind in KINDS.items() if kind.is_kernel)
KIND_OF = attrgetter("kind")
Around = Callable[[int], Hashable]  # who said a line, and in which minute, by its envelope


def minute_around(*, wrapped: Wrappings, stamps: Sequence[datetime] | None) -> Around:
    """Return what the envelopes of lines say, by their 0-based number."""

    def around(index: int) -> Hashable:
        said = wrapped.get(index)
        at = stamps[index] if stamps and index < len(stamps) else None
        if said is None:
            return at and at.replace(second=0, microsecond=0)
        at, stamp = said.at or at, said.stamp
        printed = stamp and (stamp.month, stamp.day, stamp.hour, stamp.minute)
        who = (said.host, said.pid, said.is_kernel)
        return (at and at.replace(second=0, microsecond=0), printed, who)

    return around


def key_of(text: str, around: Hashable) -> Hashable:
    """Return what equal lines of a minute share."""
    return SECONDS.sub("", text), around


def _nothing(_index: int) -> Hashable:
    return None


@dataclass(slots=True)
class RepeatedLine:
    """A line that was read before: how often, and what became of it the last time."""

    count: int = 0
    is_alone: bool = False  # no record had a part in it
    is_opener: bool = False  # of a record of the kernel, whose next one says the same
    is_told: bool = False  # it has an event, which the last of its kind has, too
    is_progress: bool = False  # of which the latest counts


@dataclass(slots=True)
class Last:
    """The latest of lines that are told together: by its clock, else the one furthest behind."""

    index: int
    text: str
    clock: str  # letters that only the time tells apart
    count: int = 1


@dataclass(slots=True)
class Flood:
    """What one block repeats."""

    around: Around = _nothing
    _lines: dict[Hashable, RepeatedLine] = field(default_factory=dict)
    _line: RepeatedLine | None = None  # that is being read
    _was_open: bool = False
    _is_counted: bool = False  # that line, by its part
    _parts: dict[Hashable, int] = field(default_factory=dict)
    _openers: set[str] = field(default_factory=set)  # signatures that begin records of processes
    _last: dict[Hashable, Last] = field(default_factory=dict)

    def is_repeated(
        self,
        index: int,
        key: Hashable,
        text: str,
        candidates: Candidates,
        records: Sequence[OpenRecord],
    ) -> bool:
        """Say whether a line is counted instead of read: enough of its `key_of` were."""
        self._line, self._was_open, self._is_counted = None, bool(records), False
        if candidates and candidates[0].role is Role.PROGRESS:
            return False
        line = self._lines.get(key)
        if line is None:
            if len(self._lines) < MOST_LINES:
                self._line = self._lines[key] = RepeatedLine(1)
            return False
        line.count += 1
        is_known = line.is_opener or (line.is_alone and not records)
        if line.count <= EQUAL or line.is_progress or not is_known:
            self._line = line
            return False
        if line.is_told:
            self._count(id(line), index, text, text)
        return True

    def note(self, number: int, told: Sequence[Event], records: Sequence[OpenRecord]) -> None:
        """Remember what became of the line that was asked about last."""
        opened = None
        for one in reversed(records):  # the latest stand last
            if one.line.number != number:
                break
            opened = one
        if opened is not None and not KINDS[opened.kind].is_kernel and opened.event is not None:
            self._openers.add(opened.event.signature)
        line = self._line
        if line is None:
            return
        own = [event for event in told if event.line.number == number]
        line.is_alone = not self._was_open and not records and len(own) == len(told) <= 1
        line.is_opener = opened is not None and KINDS[opened.kind].is_kernel
        line.is_told = bool(own) or line.is_opener or self._is_counted

    def progress(self) -> None:
        """Remember that the line that was asked about last tells of progress."""
        if self._line is not None:
            self._line.is_progress = True

    def is_full(self, hit: SignatureMatch, asked: Asked, records: Sequence[OpenRecord]) -> bool:
        """Say whether a line is counted instead of told: of its part enough is told already."""
        signature = hit.signature.key
        is_opener = signature in self._openers
        if not is_opener and not KERNEL_KINDS.issuperset(map(KIND_OF, records)):
            return False  # it may be the rest of what a process said
        if NEVER in hit.found.re.groupindex:
            return False
        part = self.part_of(hit, asked) if asked.part is None else asked.part
        if self._has_room(part, FULL_RECORDS if is_opener else FULL):
            return False
        clock = hit.found.before
        if part in self._parts and not is_opener:
            before = SECONDS.sub("", clock) if hit.is_whole else ""
            part = (part, VARYING.sub("", asked.shown[len(before) :]))
            if self._has_room(part, 1):
                return False
        key = part if part in self._parts else signature
        self._count(key, asked.index, asked.shown, clock)
        self._is_counted = True
        return True

    def part_of(self, hit: SignatureMatch, asked: Asked) -> Hashable:
        """Return what a line is about: the part that it names, and who names it in which minute."""
        said = hit.found
        before = SECONDS.sub("", said.before) if hit.is_whole else ""
        values = [said[name] for name in said.re.groupindex if name not in CHANGES]
        return (hit.signature.key, before, self.around(asked.index), *values)

    def rest(self) -> Iterable[Last]:
        """Return what was counted: of lines that are told together the last, and how many."""
        return self._last.values()

    def _has_room(self, part: Hashable, most: int) -> bool:
        count = self._parts.get(part, 0)
        if count >= most or (not count and len(self._parts) >= MOST_PARTS):
            return False
        self._parts[part] = count + 1
        return True

    def _count(self, key: Hashable, index: int, text: str, clock: str) -> None:
        last = self._last.get(key)
        if last is None:
            self._last[key] = Last(index, text, clock)
            return
        last.count += 1
        if clock >= last.clock:
            last.index, last.text, last.clock = index, text, clock
