"""Lines that an agent read long after they were printed: the printed time decides, not the reading.

A line of a pushed stream has the time at which it was read (`at`) and often a printed one without a
zone (`local_at`). While a log is followed both are seconds apart, but for the zone.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from apps.diagnosis.logs.timestamps import zone_named
from apps.diagnosis.model import Event, LogLine, Reading
from apps.diagnosis.observed import canonical
from apps.diagnosis.zone_names import IN_USE

NONE: Final = timedelta(0)
FOLLOWED: Final = timedelta(seconds=5)  # what reading a growing file takes
# Agents look for new files once a minute, and send in parts.
FIRST_READ: Final = timedelta(minutes=2)
# No line is printed after it was read, but the reader's clock may be behind by this.
AHEAD: Final = timedelta(minutes=1)
MOST_DOUBT: Final = timedelta(hours=12)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Zone:
    """By how much the printed times of a source are ahead of UTC; None where nothing says it."""

    offset: timedelta | None
    doubt: timedelta = NONE
    backlog_until: datetime | None = None  # when the last line of what lay there was read


@dataclass(frozen=True, slots=True)
class _Pair:
    read_at: datetime
    printed: datetime  # as if it were UTC

    @property
    def ahead(self) -> timedelta:
        """Return by how much the printed time is ahead of the reading: zone less delay."""
        return self.printed - self.read_at


def redated(
    *, readings: Sequence[Reading], zones: Mapping[str, str], aliases: Mapping[str, str]
) -> tuple[list[Reading], Mapping[str, timedelta]]:
    """Return the readings with the times at which their lines were printed, and doubts by source.

    What an agent read as it was printed keeps its time. Of what was read late, a line with a
    printed time gets it (left without a zone where nothing says which), and a line without one
    has no time, as in a file. `zones` are IANA names by host.
    """
    pairs: dict[str, list[_Pair]] = defaultdict(list)
    firsts: dict[str, list[_Pair]] = defaultdict(list)
    hosts: dict[str, str] = {}
    for reading in readings:
        source = reading.origin.source
        pairs[source] += _pairs(reading)
        named = [e.line.host for e in reading.events if e.line.host]
        hosts[source] = hosts.get(source) or reading.origin.host or next(iter(named), "")
        firsts[source] += _first_pairs(reading)
    for source, those in firsts.items():
        pairs[source] += [each for each in those if _is_followed(each)]
    found: dict[str, _Zone] = {}
    for source, those in pairs.items():
        known = zones.get(canonical(hosts[source], aliases) or "")
        zone = _zone(those, known) if those else None
        until = _backlog(those, firsts[source], zone) if zone else None
        if zone is not None and (until or not zone.doubt):
            found[source] = replace(zone, backlog_until=until)
    doubts = {source: zone.doubt for source, zone in found.items() if zone.doubt}
    return [_redated(each, found.get(each.origin.source)) for each in readings], doubts


def _pairs(reading: Reading) -> list[_Pair]:
    lines = [event.line for event in (*reading.events, *reading.progress)]
    times = [(line.at, line.local_at) for line in lines]
    times += [(extent.last_at, extent.last_local_at) for extent in reading.extents]
    return [_Pair(at, local.replace(tzinfo=UTC)) for at, local in times if at and local]


def _zone(pairs: Sequence[_Pair], known: str | None) -> _Zone | None:
    """Return the zone of a source, by its line that was read soonest; None if none can be."""
    latest = max(pairs, key=lambda each: each.ahead)
    named = zone_named(name=known) if known else None
    if named is not None:
        return _Zone(offset=latest.printed.replace(tzinfo=named).utcoffset())
    least = latest.ahead - AHEAD
    fits = next((zone for zone in IN_USE if zone >= least), None)
    if fits is None:
        return None  # printed in a future that no zone explains
    if fits - latest.ahead <= FIRST_READ:
        return _Zone(offset=fits)
    if least <= NONE:
        return _Zone(offset=None, doubt=min(-latest.ahead, MOST_DOUBT))
    return _Zone(offset=fits, doubt=IN_USE[-1] - fits)


def _is_late(pair: _Pair, zone: _Zone) -> bool:
    return (zone.offset or NONE) - pair.ahead > FOLLOWED


def _first_pairs(reading: Reading) -> list[_Pair]:
    """Return when what was read first was printed at the earliest."""
    return [
        _Pair(each.first_at, each.first_local_at.replace(tzinfo=UTC))
        for each in reading.extents
        if each.first_at and each.first_local_at
    ]


def _is_followed(pair: _Pair) -> bool:
    return any(abs(zone - pair.ahead) <= FOLLOWED for zone in IN_USE)


def is_read_soon(*, read_at: datetime, printed: datetime) -> bool:
    """Say whether a line with a naive time was read as it was printed, in some zone in use."""
    ahead = printed.replace(tzinfo=UTC) - read_at
    return any(-FOLLOWED <= zone - ahead <= FIRST_READ for zone in IN_USE)


def _backlog(pairs: Sequence[_Pair], firsts: Sequence[_Pair], zone: _Zone) -> datetime | None:
    """Return when the last line was read that lay there already, None for a log that was followed.

    In a log that was followed a line may tell an earlier time, too: the others keep theirs.
    """
    first = min(firsts, key=lambda each: each.read_at, default=None)
    if first is None or not _is_late(first, zone):
        return None
    followed = min((each.read_at for each in pairs if not _is_late(each, zone)), default=None)
    late = (each.read_at for each in pairs if _is_late(each, zone))
    return max((at for at in late if followed is None or at < followed), default=None)


def _redated(reading: Reading, zone: _Zone | None) -> Reading:
    if zone is None:
        return reading
    until = zone.backlog_until

    def is_backlog(at: datetime | None) -> bool:
        return at is not None and until is not None and at <= until + FOLLOWED

    def dated(at: datetime | None, local: datetime | None) -> datetime | None:
        if at is None:
            return None
        if local is None:
            return None if is_backlog(at) else at
        printed = local.replace(tzinfo=UTC)
        if not _is_late(_Pair(at, printed), zone):
            return at
        return None if zone.offset is None else printed - zone.offset

    return replace(
        reading,
        events=tuple(_of_event(each, dated(*_times(each.line))) for each in reading.events),
        progress=tuple(_of_event(each, dated(*_times(each.line))) for each in reading.progress),
        extents=tuple(
            replace(
                each,
                first_at=dated(each.first_at, each.first_local_at)
                if is_backlog(each.first_at)
                else each.first_at,
                last_at=dated(each.last_at, each.last_local_at)
                if is_backlog(each.last_at)
                else each.last_at,
            )
            for each in reading.extents
        ),
    )


def _times(line: LogLine) -> tuple[datetime | None, datetime | None]:
    return line.at, line.local_at


def _of_event(event: Event, at: datetime | None) -> Event:
    return event if at == event.line.at else replace(event, line=replace(event.line, at=at))
