"""Stored facts of one attempt → readings, as if its logs lay side by side as files."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Q, QuerySet, Window
from django.db.models.functions import Least, RowNumber

from apps.diagnosis.model import Anomaly, Reading
from apps.diagnosis.model import Event as Fact
from apps.fleet.models import Attempt
from apps.telemetry.attempts.reading_span import (
    ZONE,
    ReadingSpan,
    attempt_span,
    span_around,
    streams_around,
)
from apps.telemetry.attempts.related_lines import About, about
from apps.telemetry.logs.interpretation import event_rows
from apps.telemetry.logs.streams import origin_of
from apps.telemetry.models import Event, LogStream, Progress, VoiceExtent

Says = Callable[[Event], bool]
# Of one organization's logs in one diagnosis: what a task reads and weighs well within its limit.
MOST_EVENTS = 50_000
KIND = ("stream_id", "signature", "host")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReadings:
    """What is stored about an attempt, and who holds which part of it."""

    readings: tuple[Reading, ...]
    holder_of_source: Mapping[str, int]  # Origin.source → organization
    label_of_source: Mapping[str, str]  # Origin.source → words its holder knows it by
    newest_received_at: datetime | None
    is_claim: Callable[[int, Fact], bool]  # of an organization's fact: it runs not what it tells of
    is_sure_of: Callable[[int, Anomaly, datetime | None], bool]  # of a part that one measures
    # What vendors tell of parts that nobody knows to serve this attempt: it weighs nothing.
    supposed: Callable[[], tuple[Reading, ...]]
    is_cut: bool = False  # there was too much: of each kind of line the first and the last are here


@dataclass(slots=True, kw_only=True)
class _Cut:
    """Whether any of what was there was left out."""

    is_cut: bool = False


def readings_of_attempt(*, attempt: Attempt) -> StoredReadings:
    """Return the logs of an attempt and of what it ran on. Needs the scope of the parties.

    Session streams whole; streams of its hosts and of shared parts around its time.
    """
    rules = about(attempt=attempt)
    own = [stream for stream in _own_streams(attempt) if rules.counts(stream)]
    own_span = ReadingSpan(starts_at=None, ends_at=None)
    if any(stream.attempt_id is None for stream in own):
        own_span = attempt_span(attempt)
    cut = _Cut()
    readings = _read(
        streams=[stream for stream in own if stream.attempt_id],
        span=None,
        rules=rules,
        keep=rules.keeps_own,
        cut=cut,
    )
    readings += _read(
        streams=[s for s in own if s.attempt_id is None],
        span=own_span,
        rules=rules,
        keep=rules.keeps_own,
        cut=cut,
    )
    around: list[LogStream] = []
    vendors: list[LogStream] = []
    span = own_span
    if attempt.session.cluster_id is not None:
        span = span_around(attempt=attempt, own=own)
        joined = [each for each in streams_around(attempt, span) if rules.concerns(each)]
        around = [each for each in joined if not rules.is_of_vendor(each)]
        vendors = [each for each in joined if rules.is_of_vendor(each)]
        readings += _read(streams=around, span=span, rules=rules, keep=rules.keeps, cut=cut)
    streams = [*own, *around, *vendors]
    holders = {_source(each): each.organization_id for each in streams}
    if vendors:
        told = ((holders[r.origin.source], event) for r in readings for event in r.events)
        rules = rules.knowing(told)
        readings += _read(streams=vendors, span=span, rules=rules, keep=rules.keeps, cut=cut)

    def supposed() -> tuple[Reading, ...]:
        found = _read(streams=vendors, span=span, rules=rules, keep=rules.supposes, cut=_Cut())
        return tuple(replace(each, progress=(), extents=()) for each in found if each.events)

    return StoredReadings(
        readings=tuple(readings),
        holder_of_source=holders,
        label_of_source={_source(each): label_of(stream=each) for each in streams},
        newest_received_at=max(
            filter(None, (each.last_received_at for each in streams)), default=None
        ),
        is_claim=rules.is_claim,
        is_sure_of=rules.is_sure_of,
        supposed=supposed,
        is_cut=cut.is_cut,
    )


def label_of(*, stream: LogStream) -> str:
    """Return the words by which its holder knows a stream."""
    rank = "" if stream.rank is None else f"rank {stream.rank}"
    named = str(stream.labels.get("filename", ""))
    parts = [stream.kind or "log", stream.host, rank, named]
    return " ".join(part for part in parts if part)[:300]


def _own_streams(attempt: Attempt) -> Iterable[LogStream]:
    of_session = LogStream.objects.filter(session=attempt.session_id)
    wanted = Q(attempt=attempt) | Q(attempt=None)
    return of_session.filter(wanted).defer("reader_state").order_by("id")


def _read(
    *, streams: Sequence[LogStream], span: ReadingSpan | None, rules: About, keep: Says, cut: _Cut
) -> list[Reading]:
    """Return one reading for each stream, of its facts in the span."""
    by_id = {stream.pk: stream for stream in streams}
    origins = {
        pk: origin_of(stream=each, received_at=each.last_received_at) for pk, each in by_id.items()
    }
    events = defaultdict(list)
    for row in _events(streams, span, cut):
        row.stream = by_id[row.stream_id]
        if keep(row):
            events[row.stream_id].append(
                event_rows.event_of(row=row, origin=origins[row.stream_id])
            )
    heard = [pk for pk, stream in by_id.items() if rules.counts(stream)]
    stepping = [pk for pk, stream in by_id.items() if rules.counts_steps(stream)]
    progress = defaultdict(list)
    for step in Progress.objects.filter(stream__in=stepping).order_by(
        "stream_id", "order_key", "id"
    ):
        found = event_rows.progress_of(row=step, origin=origins[step.stream_id])
        progress[step.stream_id].append(found)
    extents = defaultdict(list)
    for voice in VoiceExtent.objects.filter(stream__in=heard).order_by("stream_id", "id"):
        extents[voice.stream_id].append(event_rows.extent_of(row=voice))
    return [
        Reading(
            origin=origins[pk],
            events=tuple(events[pk]),
            progress=tuple(progress[pk]),
            extents=tuple(extents[pk]),
        )
        for pk in by_id
    ]


def _events(streams: Sequence[LogStream], span: ReadingSpan | None, cut: _Cut) -> Iterator[Event]:
    """Yield the events of streams, of each organization as many as are looked at.

    Of one that has more the first and the last of each kind come before the second ones: a flood
    takes the place of its own sender's lines, and of no rare line before its repetitions.
    """
    by_owner: dict[int, list[int]] = defaultdict(list)
    for stream in streams:
        by_owner[stream.organization_id].append(stream.pk)
    for _, ids in sorted(by_owner.items()):
        rows = Event.objects.filter(_in(span), stream__in=ids)
        if rows.order_by()[: MOST_EVENTS + 1].count() > MOST_EVENTS:
            cut.is_cut = True
            rows = Event.objects.filter(pk__in=_outermost(rows))
        yield from rows.order_by("stream_id", "order_key", "id").iterator(chunk_size=5000)


def _outermost(rows: QuerySet[Event]) -> QuerySet[Event, int]:
    first, last = (
        Window(RowNumber(), partition_by=list(KIND), order_by=[f"{sign}order_key", f"{sign}id"])
        for sign in ("", "-")
    )
    placed = rows.annotate(place=Least(first, last)).order_by("place", "id")
    return placed.values_list("pk", flat=True)[:MOST_EVENTS]


def _in(span: ReadingSpan | None) -> Q:
    """Return what lies in a span; lines that printed no time or no zone are judged later."""
    if span is None:
        return Q()
    timed, local = Q(at__isnull=False), Q(at=None, local_at__isnull=False)
    if span.starts_at:
        timed &= Q(at__gte=span.starts_at)
        local &= Q(local_at__gte=span.starts_at - ZONE)
    if span.ends_at:
        timed &= Q(at__lte=span.ends_at)
        local &= Q(local_at__lte=span.ends_at + ZONE)
    return timed | local | Q(at=None, local_at=None)


def _source(stream: LogStream) -> str:
    return f"stream:{stream.pk}"
