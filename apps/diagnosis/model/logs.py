"""What is read from logs: lines, events, and how far each voice was heard."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from apps.diagnosis.model.progress import ProgressPoint
from apps.diagnosis.model.words import Layer, Role, Severity, Stream, empty


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a text came from: everything known about a file or pushed stream before it is read."""

    source: (
        str  # file name, or the portal's stream id: part of the order key and shown to the holder
    )
    stream: Stream | None = None
    host: str | None = None
    rank: int | None = None
    zone: str | None = None  # IANA name said by a label or setting
    attempt: int | None = None
    received_at: datetime | None = None  # gives a yearless stamp its year


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """One record of a log.

    Prefix and envelope taken off, ANSI gone, continuation lines joined by newlines.
    """

    origin: Origin
    number: int  # 1-based line number in the source
    text: str
    at: datetime | None = (
        None  # aware UTC; None when the line printed no time or its zone is not known
    )
    local_at: datetime | None = None  # as printed, naive, when no zone is known
    uptime_seconds: float | None = None
    host: str | None = None
    rank: int | None = None  # global rank only, never the rank inside a process group
    local_rank: int | None = None
    pid: int | None = None
    gpu: int | None = None  # CUDA ordinal inside the process
    stream: Stream | None = None  # recognised by content where the origin does not say
    dialect: str = "plain"
    offset: timedelta | None = None  # east of UTC, where the line itself prints it; UTC says none


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A typed fact read from a line."""

    signature: str
    role: Role
    layer: Layer | None  # None for progress
    severity: Severity
    line: LogLine
    fields: Mapping[str, str] = field(default_factory=empty)  # named groups of the pattern
    causes: tuple[str, ...] = ()  # slugs this signature speaks for, strongest first
    count: int = 1  # equal lines that it stands for, where a source repeats itself

    @property
    def order_key(self) -> tuple[str, int]:
        """Position for a stable order where no clock can be trusted."""
        return (self.line.origin.source, self.line.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How far one voice in a source was heard: what silence and a lost tail are judged by."""

    host: str | None = None
    rank: int | None = None
    stream: Stream | None = None
    line_count: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None
    first_local_at: datetime | None = None
    last_local_at: datetime | None = None
    last_number: int = 0
    offset: timedelta | None = None  # that its lines print, the latest
    last_uptime: float | None = None  # seconds since boot that its last line prints, if no time


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one source said, or a further part of it.

    `events` holds every event but those of role progress; `progress` the latest of each (host,
    rank, signature), which may replace the one of an earlier reading of the same source; `points`
    each step and save as numbers, in the order of lines.
    """

    origin: Origin
    events: tuple[Event, ...] = ()
    progress: tuple[Event, ...] = ()
    extents: tuple[Extent, ...] = ()
    points: tuple[ProgressPoint, ...] = ()
