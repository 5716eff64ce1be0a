"""Records of several lines: the shape that every module in `records/` fills in, and the book of
open ones."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from apps.diagnosis.model import Event, LogLine

# Interleaved ranks can open one each; beyond this the oldest ends early.
OPEN_LIMIT = 64
TEXT_LIMIT = 300


class LineVerdict(StrEnum):
    """What a line is to an open record."""

    FOREIGN = "foreign"  # none of its business; the record stays open
    PART = "part"
    LAST = "last"  # a part, and the record ends with it
    OVER = "over"  # the record ended before this line


@dataclass(slots=True, kw_only=True)
class OpenRecord:
    """An open record: what its lines said so far. `event` is that of the first line."""

    kind: str
    voice: str
    line: LogLine
    event: Event | None
    notes: dict[str, str] = field(default_factory=dict)
    line_count: int = 0

    def note(self, name: str, value: str) -> None:
        """Remember a value, shortened."""
        self.notes[name] = value[:TEXT_LIMIT]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineOutcome:
    """The verdict on a line, and the events to tell in place of its own (None: its own stands)."""

    verdict: LineVerdict
    events: tuple[Event, ...] | None = None


FOREIGN = LineOutcome(verdict=LineVerdict.FOREIGN)
OVER = LineOutcome(verdict=LineVerdict.OVER)
SWALLOWED = LineOutcome(verdict=LineVerdict.PART, events=())


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordKind:
    """How one kind of record opens, goes on and ends."""

    name: str
    opens: Callable[[LogLine, Event | None], bool]
    take: Callable[[OpenRecord, LogLine, Event | None], LineOutcome]
    finish: Callable[[OpenRecord], tuple[Event, ...]]
    begin: Callable[[OpenRecord], None] | None = None  # notes what a stored opener would lose
    literals: tuple[str, ...] = ()  # of openers that no signature matches
    is_kernel: bool = False  # one voice per host, whatever the prefix
    holds_opener: bool = True  # the opening line's own event waits for the end
    line_limit: int = 60  # of its own voice
    reach: int = 300  # of the source: what is silent for longer has ended


def voices_of(*, line: LogLine) -> tuple[str, str]:
    """Return who speaks, as a program and as a kernel: other voices don't disturb a record."""
    return (
        f"{line.host} {line.rank} {line.local_rank} {line.dialect}",
        f"kernel {line.host}",
    )
