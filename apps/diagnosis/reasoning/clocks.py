"""Step 3: how far each voice's clock is off, and by how much that may be wrong."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from apps.diagnosis.model import Event, Extent, LogLine, Reading, Stream, Topology

HALF_HOUR = timedelta(minutes=30)
YEAR = timedelta(days=365.25)
FAR_OFF, WRONG_YEAR = timedelta(days=300), timedelta(days=3)
# A zone mistake is at least an hour and at most the width of the zones.
LEAST_ZONE, MOST_ZONE = timedelta(hours=1), timedelta(hours=14)
# Ends of the logs of one session differ by its timeouts, so an alignment may miss by this much.
END_SLACK = timedelta(minutes=10)
MOST_OFFSET = timedelta(minutes=5)
LEAST_ERROR = timedelta(seconds=2)
AGREE_SECONDS = 4.0

Voice = tuple[str, str]  # (source, host as printed or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """First and last stamp of one voice, as it printed them."""

    voice: Voice
    host: str
    stream: Stream | None
    is_zoned: bool
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """Corrections of all voices onto one timeline."""

    shifts: Mapping[Voice, timedelta]
    offsets: Mapping[str, timedelta]
    errors: Mapping[str, timedelta]
    default_error: timedelta
    aliases: Mapping[str, str]
    zones: Mapping[str, str]
    around: datetime | None = None  # the session's end: a guessed year far from it is wrong

    def instant(self, line: LogLine) -> datetime | None:
        """Return when the line was written on the common timeline, None where it has no time."""
        raw = _stamp(line.at, line.local_at, self.zones.get(self.host(line) or ""))
        if raw is None:
            return None
        voice = _voice(line.origin.source, line.host or line.origin.host)
        raw = in_year(at=raw, around=self.around)
        return raw + self.shifts.get(voice, timedelta(0)) - self.offsets.get(voice[1], timedelta(0))

    def error(self, line: LogLine) -> timedelta:
        """Return how far `instant` may be off."""
        return self.errors.get(self.host(line) or "", self.default_error)

    def host(self, line: LogLine) -> str | None:
        """Return the host of a line by its one name."""
        return canonical(line.host or line.origin.host, self.aliases)


def canonical(host: str | None, aliases: Mapping[str, str]) -> str | None:
    """Return the one name of a host: its alias, else its short name; an address stays."""
    if not host:
        return None
    if host in aliases:
        return aliases[host]
    short = host.split(".", 1)[0]
    if short.isdigit() or ":" in host:
        return host
    return aliases.get(short, short)


def estimate(*, readings: Sequence[Reading], topology: Topology) -> Clocks:
    """Estimate zone mistakes per voice and offsets per host from moments they shared."""
    around = _around(_spans(readings, topology, None))
    spans = _spans(readings, topology, around)
    shifts = {voice: shift for voice, shift in _zone_shifts(spans).items() if shift}
    offsets, errors = _offsets(readings, spans, shifts, topology, around)
    spread = max((abs(one) for one in offsets.values()), default=timedelta(0))
    return Clocks(
        shifts=shifts,
        offsets=offsets,
        errors=errors,
        default_error=max(LEAST_ERROR, spread),
        aliases=topology.aliases,
        zones=topology.zones,
        around=around,
    )


def _around(spans: Sequence[Span]) -> datetime | None:
    """Return the end of the session by its voices with the most certain year: the latest one."""
    sessions = [span.last for span in spans if span.stream is Stream.SESSION]
    return max(sessions or [span.last for span in spans], default=None)


def in_year(*, at: datetime, around: datetime | None) -> datetime:
    """Move a stamp by whole years when its guessed year cannot be right."""
    if around is None or abs(at - around) < FAR_OFF:
        return at
    try:
        moved = at.replace(year=at.year + round((around - at) / YEAR))
    except ValueError:  # 29 February
        return at
    return moved if abs(moved - around) < WRONG_YEAR else at


def _voice(source: str, host: str | None) -> Voice:
    return (source, host or "")


def _stamp(at: datetime | None, local: datetime | None, zone: str | None) -> datetime | None:
    """Put a stamp on the common axis; a naive one without a zone stands there as if it were UTC."""
    if at is not None:
        return at.astimezone(UTC)
    if local is None:
        return None
    return local.replace(tzinfo=_zone(zone)).astimezone(UTC)


def _zone(name: str | None) -> ZoneInfo | None:
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def _spans(readings: Sequence[Reading], topology: Topology, around: datetime | None) -> list[Span]:
    grouped: dict[Voice, list[tuple[Extent, Stream | None]]] = defaultdict(list)
    for reading in readings:
        for extent in reading.extents:
            voice = _voice(reading.origin.source, extent.host or reading.origin.host)
            grouped[voice].append((extent, reading.origin.stream or extent.stream))
    spans = [_span(voice, extents, topology, around) for voice, extents in sorted(grouped.items())]
    return [span for span in spans if span is not None]


def _span(
    voice: Voice,
    extents: Sequence[tuple[Extent, Stream | None]],
    topology: Topology,
    around: datetime | None,
) -> Span | None:
    host = canonical(voice[1], topology.aliases) or ""
    zone = topology.zones.get(host)
    firsts = [_stamp(e.first_at, e.first_local_at, zone) for e, _ in extents]
    lasts = [_stamp(e.last_at, e.last_local_at, zone) for e, _ in extents]
    starts = [in_year(at=at, around=around) for at in firsts if at]
    ends = [in_year(at=at, around=around) for at in lasts if at]
    if not starts or not ends:
        return None
    return Span(
        voice=voice,
        host=host,
        stream=next((stream for _, stream in extents if stream), None),
        is_zoned=bool(zone) or any(e.last_at is not None for e, _ in extents),
        first=min([*starts, *ends]),
        last=max([*starts, *ends]),
    )


def _zone_shifts(spans: Sequence[Span]) -> dict[Voice, timedelta]:
    sessions = [span for span in spans if span.stream is Stream.SESSION]
    frame = [span for span in sessions if span.is_zoned] or sessions
    if not frame:
        return {}
    start, end = _middle(one.first for one in frame), _middle(one.last for one in frame)
    shifts = {one.voice: _session_shift(one, start, end) for one in sessions}
    by_host = {one.host: shifts[one.voice] for one in sessions if one.host}
    others = [span for span in spans if span.stream is not Stream.SESSION]
    common = _majority(_end_shift(one, end) for one in others if not one.is_zoned)
    for one in others:
        candidates = [timedelta(0), by_host.get(one.host, timedelta(0))]
        if not one.is_zoned:
            candidates.append(common)
        shifts[one.voice] = _closest(one, end, candidates)
    return shifts


def _middle(stamps: Iterable[datetime]) -> datetime:
    ordered = sorted(stamps)
    return ordered[len(ordered) // 2]


def _end_shift(span: Span, end: datetime) -> timedelta:
    """Return the whole half hours that bring the end of a voice to the end of the session, or
    zero.
    """
    shift = round((end - span.last) / HALF_HOUR) * HALF_HOUR
    misses = abs(end - span.last - shift) > END_SLACK
    if misses or not LEAST_ZONE <= abs(shift) <= MOST_ZONE:
        return timedelta(0)
    return shift


def _session_shift(span: Span, start: datetime, end: datetime) -> timedelta:
    shift = _end_shift(span, end)
    is_dead_early = abs(span.first - start) <= END_SLACK and span.first != span.last
    return timedelta(0) if is_dead_early else shift


def _majority(shifts: Iterable[timedelta]) -> timedelta:
    counted = Counter(shifts)
    return max(counted, key=lambda one: (counted[one], -abs(one)), default=timedelta(0))


def _closest(span: Span, end: datetime, candidates: Iterable[timedelta]) -> timedelta:
    """Prefer no shift when the voice already ends around the session's end."""
    if -END_SLACK * 2 <= span.last - end <= timedelta(hours=1):
        return timedelta(0)
    return min(candidates, key=lambda one: (abs(span.last + one - end), abs(one)))


def _offsets(
    readings: Sequence[Reading],
    spans: Sequence[Span],
    shifts: Mapping[Voice, timedelta],
    topology: Topology,
    around: datetime | None,
) -> tuple[dict[str, timedelta], dict[str, timedelta]]:
    pairs = _paired(readings, shifts, topology, around) or _starts(spans, shifts)
    seen: dict[str, list[float]] = defaultdict(list)
    for stamps in pairs:
        middle = median(at.timestamp() for _, at in stamps)
        for host, at in stamps:
            seen[host].append(at.timestamp() - middle)
    offsets: dict[str, timedelta] = {}
    errors: dict[str, timedelta] = {}
    for host, misses in sorted(seen.items()):
        offset = timedelta(seconds=median(misses))
        if LEAST_ERROR < abs(offset) <= MOST_OFFSET:
            offsets[host] = offset
        scatter = median(abs(one - median(misses)) for one in misses)
        errors[host] = LEAST_ERROR + timedelta(seconds=scatter)
    return offsets, errors


def _paired(
    readings: Sequence[Reading],
    shifts: Mapping[Voice, timedelta],
    topology: Topology,
    around: datetime | None,
) -> list[list[tuple[str, datetime]]]:
    """Return groups of stamps of different hosts that belong to one moment of the whole session."""
    groups: dict[tuple[str, ...], dict[str, list[datetime]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for reading in readings:
        for event in (*reading.events, *reading.progress):
            key = _moment_key(event)
            line = event.line
            host = line.host or line.origin.host
            raw = _stamp(line.at, line.local_at, topology.zones.get(host or ""))
            if key is None or host is None or raw is None:
                continue
            shift = shifts.get(_voice(line.origin.source, host), timedelta(0))
            groups[key][host].append(in_year(at=raw, around=around) + shift - _waited(event))
    return [
        [(host, _middle(stamps)) for host, stamps in sorted(hosts.items())]
        for _, hosts in sorted(groups.items())
        if len(hosts) > 1
    ]


def _moment_key(event: Event) -> tuple[str, ...] | None:
    fields = event.fields
    if event.signature == "pg-watchdog-timeout":
        return (
            "watchdog",
            fields.get("seq", ""),
            fields.get("op", ""),
            fields.get("timeout_ms", ""),
        )
    if event.signature == "nccl-init-complete" and fields.get("comm_id"):
        return ("init", fields["comm_id"])
    return None


def _waited(event: Event) -> timedelta:
    waited = event.fields.get("duration_ms", "")
    return timedelta(milliseconds=int(waited)) if waited.isdigit() else timedelta(0)


def _starts(
    spans: Sequence[Span], shifts: Mapping[Voice, timedelta]
) -> list[list[tuple[str, datetime]]]:
    """Fall back to the first and last lines: all hosts of a session start and stop together."""
    sessions = [s for s in spans if s.stream is Stream.SESSION and s.voice[1]]
    if len(sessions) < 3:
        return []
    firsts = [(s.voice[1], s.first + shifts.get(s.voice, timedelta(0))) for s in sessions]
    lasts = [(s.voice[1], s.last + shifts.get(s.voice, timedelta(0))) for s in sessions]
    # A clock that is off is off at both ends by the same; anything else is a difference of what
    # was logged.
    begin, end = (median(at.timestamp() for _, at in group) for group in (firsts, lasts))
    agree = {
        host
        for (host, first), (_, last) in zip(firsts, lasts, strict=True)
        if abs((first.timestamp() - begin) - (last.timestamp() - end)) <= AGREE_SECONDS
    }
    return (
        [[(host, at) for host, at in group if host in agree] for group in (firsts, lasts)]
        if len(agree) > 1
        else []
    )
