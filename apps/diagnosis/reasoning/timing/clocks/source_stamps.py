"""Voices and their stamps, and the corrections that bring them onto one timeline."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from apps.diagnosis.model import Event, Extent, LogLine, PrintedZone, Reading, Stream, Topology
from apps.diagnosis.observed import canonical

YEAR = timedelta(days=365.25)
FAR_OFF, WRONG_YEAR = timedelta(days=300), timedelta(days=3)

Voice = tuple[str, str]  # (source, host as printed or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceSpan:
    """First and last stamp of one voice, as it printed them."""

    voice: Voice
    host: str
    stream: Stream | None
    is_zoned: bool
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenZone:
    """Another zone in which logs that state none may be, by what would then coincide."""

    stream: Stream | None  # whose zone it is: the session's, or that of other logs
    shift: timedelta  # what moves the others onto the session's logs
    voices: frozenset[Voice]  # the others: their faults are what would coincide
    offset: timedelta | None = None  # the session's zone, where its own is open
    guessed: timedelta = timedelta(0)  # in which its times are so far taken
    support: int = 0  # how much coincides
    is_better: bool = False  # more faults meet the failure than under what is taken
    is_weak: bool = False  # but the logs end together under what is taken
    is_taken: bool = False  # it is what is taken already, on the word of one host
    stated_by: tuple[Stream | None, str] | None = None  # the log that prints it, and its host


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """Corrections of all voices onto one timeline."""

    shifts: Mapping[Voice, timedelta]  # zones and drift, added
    offsets: Mapping[str, timedelta]  # by how much a host's clock is ahead, subtracted
    errors: Mapping[str, timedelta]
    default_error: timedelta
    aliases: Mapping[str, str]
    zones: Mapping[str, str]
    around: datetime | None = None  # the session's end: a guessed year far from it is wrong
    boots: Mapping[Voice, datetime] = field(default_factory=dict)  # of voices that print uptimes
    streams: Mapping[Voice, Stream | None] = field(default_factory=dict)
    sources: Mapping[str, timedelta] = field(default_factory=dict)  # of lines of other voices
    pair_counts: Mapping[str, int] = field(default_factory=dict)  # moments shared with others
    doubts: Mapping[str, timedelta] = field(default_factory=dict)  # by source: zones left open
    open_zones: tuple[OpenZone, ...] = ()
    printed_zone: PrintedZone | None = None
    stated: OpenZone | None = None  # the session's zone by the word of its machines' logs

    def instant(self, line: LogLine) -> datetime | None:
        """Return when the line was written on the common timeline, None where it has no time."""
        voice = voice_of(line)
        raw = raw_stamp(line, self.zones.get(self.host(line) or ""), self.around)
        if raw is not None:
            return raw + self.correction(voice)
        booted = self.boots.get(voice)
        if booted is None or line.uptime_seconds is None:
            return None
        return booted + timedelta(seconds=line.uptime_seconds)

    def correction(self, voice: Voice) -> timedelta:
        """Return what is added to the stamps of a voice."""
        zero = timedelta(0)
        # Of one log some lines name their host and some do not: one program's zone is one.
        of_source = zero if voice in self.streams else self.sources.get(voice[0], zero)
        return self.shifts.get(voice, of_source) - self.offsets.get(voice[1], zero)

    @property
    def by_source(self) -> dict[str, timedelta]:
        """Return what moves each log whose voices are all moved alike."""
        found: dict[str, set[timedelta]] = {}
        for voice in self.streams:
            found.setdefault(voice[0], set()).add(self.shifts.get(voice, timedelta(0)))
        return {source: moved.pop() for source, moved in found.items() if len(moved) == 1}

    def error(self, line: LogLine) -> timedelta:
        """Return how far `instant` may be off."""
        return self.errors.get(self.host(line) or "", self.default_error)

    def host(self, line: LogLine) -> str | None:
        """Return the host of a line by its one name."""
        return canonical(line.host or line.origin.host, self.aliases)


def voice_of(line: LogLine) -> Voice:
    """Return whose clock stamped a line."""
    return (line.origin.source, line.host or line.origin.host or "")


def raw_stamp(line: LogLine, zone: str | None, around: datetime | None) -> datetime | None:
    """Return the stamp of a line as printed, in the right year, on an axis without corrections."""
    raw = stamp(line.at, line.local_at, zone)
    return None if raw is None else in_year(at=raw, around=around)


def stamp(at: datetime | None, local: datetime | None, zone: str | None) -> datetime | None:
    """Put a stamp on the common axis; a naive one without a zone stands there as if it were UTC."""
    if at is not None:
        return at.astimezone(UTC)
    if local is None:
        return None
    return local.replace(tzinfo=_zone(zone)).astimezone(UTC)


def in_year(*, at: datetime, around: datetime | None) -> datetime:
    """Move a stamp by whole years when its guessed year cannot be right."""
    if around is None or abs(at - around) < FAR_OFF:
        return at
    try:
        moved = at.replace(year=at.year + round((around - at) / YEAR))
    except ValueError:  # 29 February
        return at
    return moved if abs(moved - around) < WRONG_YEAR else at


def _zone(name: str | None) -> ZoneInfo | None:
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def spans(
    *, readings: Sequence[Reading], topology: Topology, around: datetime | None
) -> list[VoiceSpan]:
    """Return from when to when each voice was heard, by its own stamps."""
    grouped: dict[Voice, list[tuple[Extent, Stream | None]]] = defaultdict(list)
    for reading in readings:
        for extent in reading.extents:
            voice = (reading.origin.source, extent.host or reading.origin.host or "")
            grouped[voice].append((extent, reading.origin.stream or extent.stream))
    found = [_span(voice, extents, topology, around) for voice, extents in sorted(grouped.items())]
    return [span for span in found if span is not None]


def _span(
    voice: Voice,
    extents: Sequence[tuple[Extent, Stream | None]],
    topology: Topology,
    around: datetime | None,
) -> VoiceSpan | None:
    host = canonical(voice[1], topology.aliases) or ""
    zone = topology.zones.get(host)
    firsts = [stamp(e.first_at, e.first_local_at, zone) for e, _ in extents]
    lasts = [stamp(e.last_at, e.last_local_at, zone) for e, _ in extents]
    starts = [in_year(at=at, around=around) for at in firsts if at]
    ends = [in_year(at=at, around=around) for at in lasts if at]
    if not starts or not ends:
        return None
    return VoiceSpan(
        voice=voice,
        host=host,
        stream=next((stream for _, stream in extents if stream), None),
        is_zoned=bool(zone) or any(e.last_at is not None for e, _ in extents),
        first=min([*starts, *ends]),
        last=max([*starts, *ends]),
    )


def around(*, spans: Sequence[VoiceSpan]) -> datetime | None:
    """Return the end of the session by its voices with the most certain year: the latest one."""
    sessions = [span.last for span in spans if span.stream is Stream.SESSION]
    return max(sessions or [span.last for span in spans], default=None)


def is_of(event: Event, stream: Stream) -> bool:
    """Say whether an event stands in a log of this kind."""
    return (event.line.origin.stream or event.line.stream or Stream.SESSION) is stream
