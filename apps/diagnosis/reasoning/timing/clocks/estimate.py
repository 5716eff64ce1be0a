"""Years, zones, drift, boots, offsets: in this order, each from moments that voices share."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from statistics import median
from types import MappingProxyType

from apps.diagnosis.model import ClockError, LogLine, Reading, Stream, Topology
from apps.diagnosis.observed import canonical
from apps.diagnosis.reasoning.timing.clocks import pairs
from apps.diagnosis.reasoning.timing.clocks.open_zones import open_zones, with_zone
from apps.diagnosis.reasoning.timing.clocks.source_stamps import (
    Clocks,
    OpenZone,
    Voice,
    VoiceSpan,
    around,
    raw_stamp,
    spans,
)
from apps.diagnosis.reasoning.timing.clocks.stated_zones import (
    offsets_of,
    printed_zone,
    stated_zone,
)
from apps.diagnosis.reasoning.timing.clocks.zones import session_shifts, zone_shifts

MOST_OFFSET = timedelta(minutes=5)
LEAST_ERROR = timedelta(seconds=2)
AGREE_SECONDS = 4.0
MINUTE = timedelta(minutes=1)


def estimate(
    *,
    readings: Sequence[Reading],
    topology: Topology,
    doubts: Mapping[str, timedelta] = MappingProxyType({}),
    zone: OpenZone | None = None,
) -> Clocks:
    """Estimate zone mistakes and drift per voice and offsets per host from what they shared.

    `doubts` say by source how far its zone is guessed; `zone` is one to take instead.
    """
    aliases = topology.aliases
    end = around(spans=spans(readings=readings, topology=topology, around=None))
    heard = spans(readings=readings, topology=topology, around=end)
    bare = Clocks(
        shifts={},
        offsets={},
        errors={},
        default_error=LEAST_ERROR,
        aliases=aliases,
        zones=topology.zones,
        around=end,
        streams={one.voice: one.stream for one in heard},
        doubts=doubts,
    )

    def raw(line: LogLine) -> datetime | None:
        return raw_stamp(line, topology.zones.get(bare.host(line) or ""), end)

    own = session_shifts(spans=heard)
    failed = pairs.moments(readings=readings, raw=raw, shifts=own, aliases=aliases)
    zones = zone_shifts(spans=heard, of_sessions=own, moments=failed)
    found = open_zones(spans=heard, of_sessions=own, shifts=zones, moments=failed, doubts=doubts)
    printed = offsets_of(readings=readings)
    stated = stated_zone(
        spans=heard, offsets=printed, moments=failed, of_sessions=own, shifts=zones
    )
    if stated is not None:
        found = tuple(one for one in found if one.stream is not Stream.SESSION)
        zones = with_zone(shifts=zones, of_sessions=own, zone=stated)
    bare = replace(bare, open_zones=found, stated=stated)
    if zone is not None:
        zones = with_zone(shifts=zones, of_sessions=own, zone=zone)
    shifts = {voice: shift for voice, shift in zones.items() if shift}
    drifts, booted = pairs.echoes(
        readings=readings,
        spans=heard,
        placed=replace(bare, shifts=shifts).instant,
        aliases=aliases,
    )
    for voice, drift in drifts.items():
        shifts[voice] = shifts.get(voice, timedelta(0)) + drift
    zoned = replace(bare, shifts=shifts)
    zoned = replace(zoned, sources=zoned.by_source)
    failed = pairs.moments(readings=readings, raw=raw, shifts=shifts, aliases=aliases)
    zoned = replace(
        zoned, printed_zone=printed_zone(clocks=replace(bare, shifts=zones), spans=heard)
    )
    known = pairs.boots(readings=readings, placed=zoned.instant, failed=failed, aliases=aliases)
    return _with_offsets(replace(zoned, boots={**known, **booted}), readings, heard)


def _with_offsets(
    clocks: Clocks, readings: Sequence[Reading], heard: Sequence[VoiceSpan]
) -> Clocks:
    shared = pairs.collectives(readings=readings, placed=clocks.instant, aliases=clocks.aliases)
    seen: dict[str, list[float]] = defaultdict(list)
    for stamps in shared or _starts(heard, clocks):
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
    spread = max((abs(one) for one in offsets.values()), default=timedelta(0))
    return replace(
        clocks,
        offsets=offsets,
        errors=errors,
        default_error=max(LEAST_ERROR, spread),
        pair_counts={host: len(misses) for host, misses in seen.items()} if shared else {},
    )


def _starts(heard: Sequence[VoiceSpan], clocks: Clocks) -> list[list[tuple[str, datetime]]]:
    """Fall back to the first and last lines: all hosts of a session start and stop together."""
    sessions = [s for s in heard if s.stream is Stream.SESSION and s.host]
    if len(sessions) < 3:
        return []
    firsts = [(s.host, s.first + clocks.correction(s.voice)) for s in sessions]
    lasts = [(s.host, s.last + clocks.correction(s.voice)) for s in sessions]
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


def described(*, clocks: Clocks) -> tuple[ClockError, ...]:
    """Return the corrections as values for people: one for each host, kind of log and zone."""
    found: dict[tuple[str, str, timedelta], list[Voice]] = defaultdict(list)
    for voice, stream in sorted(clocks.streams.items(), key=lambda one: one[0]):
        host = canonical(voice[1], clocks.aliases) or ""
        shift = clocks.shifts.get(voice, timedelta(0))
        found[host, stream.value if stream else "", shift].append(voice)
    return tuple(
        _described(host, stream, shift, voices, clocks)
        for (host, stream, shift), voices in sorted(found.items())
        if host or shift
    )


def _described(
    host: str, stream: str, shift: timedelta, voices: Sequence[Voice], clocks: Clocks
) -> ClockError:
    zone = round(shift / (15 * MINUTE)) * 15
    drift = shift - zone * MINUTE
    offset = clocks.offsets.get(host, timedelta(0))
    booted = next((clocks.boots[voice] for voice in voices if voice in clocks.boots), None)
    return ClockError(
        host=host,
        stream=Stream(stream) if stream else None,
        zone_minutes=zone,
        offset=offset - drift,
        error=max(
            clocks.errors.get(host, clocks.default_error),
            *(clocks.doubts.get(source, timedelta(0)) for source, _ in voices),
        ),
        pair_count=clocks.pair_counts.get(host, 0),
        booted_at=booted,
    )


def last_heard(*, readings: Sequence[Reading], clocks: Clocks) -> dict[int, datetime]:
    """Return when each rank's own log ended."""
    heard: dict[int, datetime] = {}
    for reading in readings:
        if (reading.origin.stream or Stream.SESSION) is not Stream.SESSION:
            continue
        for extent in reading.extents:
            number = extent.rank if extent.rank is not None else reading.origin.rank
            end = LogLine(
                origin=reading.origin,
                number=extent.last_number,
                text="",
                at=extent.last_at,
                local_at=extent.last_local_at,
                host=extent.host,
            )
            at = clocks.instant(end)
            if number is not None and at is not None:
                heard[number] = max(at, heard.get(number, at))
    return heard
