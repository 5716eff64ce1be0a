"""What streams said, read back for the correlation of one attempt."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from django.db.models import Max, Q

from apps.diagnosis.model import Reading, Stream
from apps.fleet import hosts
from apps.fleet.models import Attempt
from apps.telemetry.facts import event_of, extent_of, progress_of
from apps.telemetry.models import Event, LogStream, Progress, VoiceExtent
from apps.telemetry.streams import origin_of

# What hosts and shared parts said this long before and after an attempt may bear on it.
BEFORE = timedelta(hours=1)
AFTER = timedelta(minutes=20)
# A wall clock without a zone may be any of the world's; the diagnosis settles which.
ZONES = timedelta(hours=15)
# Voices of parts that many hosts share: looked at whatever host they name.
SHARED_KINDS = (Stream.STORAGE, Stream.FABRIC, Stream.SCHEDULER, Stream.BMC)

Row = TypeVar("Row", Event, Progress, VoiceExtent)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReadings:
    """Readings of an attempt with the organization that holds each source."""

    readings: tuple[Reading, ...]
    holder_of_source: Mapping[str, int]
    label_of_source: Mapping[str, str]  # words that the holder knows the source by
    newest_received_at: datetime | None


def readings_of_attempt(*, attempt: Attempt) -> StoredReadings:
    """Return what the attempt's own streams and those of its hosts said around it.

    Needs the scope of the cluster's parties; of an ad-hoc session, its owner's.
    """
    own = _own_streams(attempt=attempt)
    around = _streams_around(attempt=attempt)
    events = _events(own=own, around=around, span=_span(attempt=attempt, own=own))
    streams = [*own, *around]
    progress = _by_stream(Progress.objects.filter(stream__in=own).order_by("id"))
    extents = _by_stream(VoiceExtent.objects.filter(stream__in=streams).order_by("id"))
    return StoredReadings(
        readings=tuple(
            _reading(stream, events[stream.pk], progress[stream.pk], extents[stream.pk])
            for stream in streams
        ),
        holder_of_source={f"stream:{each.pk}": each.organization_id for each in streams},
        label_of_source={f"stream:{each.pk}": _label(each) for each in streams},
        newest_received_at=_newest(streams),
    )


def _own_streams(*, attempt: Attempt) -> list[LogStream]:
    mine = Q(attempt=attempt)
    if attempt.session.attempts.count() == 1:
        mine |= Q(session=attempt.session_id, attempt=None)
    return list(LogStream.objects.filter(mine).order_by("id"))


def _streams_around(*, attempt: Attempt) -> list[LogStream]:
    cluster_id = attempt.session.cluster_id
    if cluster_id is None:
        return []
    aliases = hosts.alias_table(cluster_id=cluster_id)
    names = {hosts.resolve(name=each, aliases=aliases) for each in attempt.hosts}
    found = LogStream.objects.filter(cluster=cluster_id, session=None).exclude(kind=Stream.SESSION)
    return [
        stream
        for stream in found.order_by("id")
        if stream.kind in SHARED_KINDS
        or not stream.host
        or hosts.resolve(name=stream.host, aliases=aliases) in names
    ]


def _span(*, attempt: Attempt, own: Iterable[LogStream]) -> tuple[datetime | None, datetime | None]:
    firsts = [each.first_at for each in own if each.first_at]
    lasts = [each.last_at for each in own if each.last_at]
    first = attempt.started_at or min(firsts, default=None)
    last = attempt.ended_at or max(lasts, default=None)
    return first and first - BEFORE, last and last + AFTER


def _events(
    *,
    own: Sequence[LogStream],
    around: Sequence[LogStream],
    span: tuple[datetime | None, datetime | None],
) -> defaultdict[int, list[Event]]:
    near = Q(at=None, local_at=None) | _between("at", span) | _between("local_at", span, ZONES)
    wanted = Q(stream__in=own) | (Q(stream__in=around) & near)
    return _by_stream(Event.objects.filter(wanted).order_by("order_key", "id"))


def _between(
    field: str,
    span: tuple[datetime | None, datetime | None],
    slack: timedelta = timedelta(0),
) -> Q:
    first, last = span
    between = Q(**{f"{field}__isnull": False})
    if first is not None:
        between &= Q(**{f"{field}__gte": first - slack})
    if last is not None:
        between &= Q(**{f"{field}__lte": last + slack})
    return between


def _by_stream(rows: Iterable[Row]) -> defaultdict[int, list[Row]]:
    groups: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.stream_id].append(row)
    return groups


def _reading(
    stream: LogStream,
    events: Sequence[Event],
    progress: Sequence[Progress],
    extents: Sequence[VoiceExtent],
) -> Reading:
    origin = origin_of(stream=stream, received_at=stream.last_received_at)
    return Reading(
        origin=origin,
        events=tuple(event_of(row=row, origin=origin) for row in events),
        progress=tuple(progress_of(row=row, origin=origin) for row in progress),
        extents=tuple(extent_of(row=row) for row in extents),
    )


def _label(stream: LogStream) -> str:
    what = f"{stream.kind} log" if stream.kind else "log"
    name = str(stream.labels.get("filename", ""))
    where = [stream.host, f"rank {stream.rank}" if stream.rank is not None else "", name]
    return ", ".join([what, *filter(None, where)])


def _newest(streams: Sequence[LogStream]) -> datetime | None:
    found = LogStream.objects.filter(pk__in=[each.pk for each in streams])
    newest: datetime | None = found.aggregate(newest=Max("last_received_at"))["newest"]
    return newest
