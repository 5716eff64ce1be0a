"""What a turn found, written in bulk: progress, extents, streams, windows that were touched."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import chain

from django.db.models import Q

from apps.diagnosis.model import Role
from apps.fleet.hosts import host_names
from apps.telemetry.logs.interpretation import collective_rows, event_rows, progress_rows
from apps.telemetry.logs.interpretation.stream_update import Span, Work
from apps.telemetry.models import (
    Event,
    LogChunk,
    Progress,
    TouchedWindow,
    VoiceExtent,
)
from apps.tenancy.database.bulk_rows import insert_new_rows, insert_or_update_rows, update_rows


def write_works(*, works: Sequence[Work], aliases: Mapping[str, str], now: datetime) -> None:
    """Write what was read of several streams, each table once."""
    _clear_replaced(works)
    LogChunk.objects.bulk_create(chain.from_iterable(work.new_chunks for work in works))
    old = [chunk for work in works for chunk in work.old_chunks]
    update_rows(rows=old, fields=["first_number", "state_before"])
    insert_new_rows(rows=[row for work in works for row in work.events])
    _write_progress(works)
    progress_rows.write_points(works, now=now)
    collective_rows.write_collectives(works, now=now)
    _write_extents(works)
    _write_streams(works)
    _write_windows(works=works, aliases=aliases, now=now)


def _clear_replaced(works: Sequence[Work]) -> None:
    """Take away the facts of spans that were read again, in the transaction that writes them."""
    spans, again, whole = Q(), Q(), []
    for work in works:
        if work.replaced_from is not None:
            spans |= Q(stream=work.stream, order_key__gte=work.replaced_from)
            again |= Q(stream=work.stream, order_key__gte=work.replaced_from) & Q(
                stream__in=[work.stream] if work.is_read_again else []
            )
        if work.is_whole:
            whole.append(work.stream.pk)
    if spans:
        Event.objects.filter(spans).delete()
        Progress.objects.filter(again).delete()
        VoiceExtent.objects.filter(stream__in=whole).delete()


def _write_progress(works: Sequence[Work]) -> None:
    rows = [
        event_rows.progress_row(event=event, stream=work.stream)
        for work in works
        for event in work.progress.values()
    ]
    insert_or_update_rows(
        rows=rows,
        key=["organization", "stream", "host", "rank", "signature"],
        fields=["at", "order_key", "body"],
    )


def _write_extents(works: Sequence[Work]) -> None:
    spoken = [work for work in works if work.extents]
    stored = VoiceExtent.objects.filter(stream__in=[work.stream for work in spoken])
    known = {(row.stream_id, row.host, row.rank): row for row in stored}
    rows = []
    for work in spoken:
        for (host, rank), extent in work.extents.items():
            row = known.get((work.stream.pk, host, rank))
            total = (
                event_rows.merged(one=event_rows.extent_of(row=row), other=extent)
                if row
                else extent
            )
            count = row.line_count if row and work.is_read_again else total.line_count
            rows.append(
                VoiceExtent(
                    organization_id=work.stream.organization_id,
                    stream_id=work.stream.pk,
                    host=host[:253],
                    rank=rank,
                    line_count=count,
                    body=event_rows.extent_body(extent=total),
                )
            )
    insert_or_update_rows(
        rows=rows, key=["organization", "stream", "host", "rank"], fields=["line_count", "body"]
    )


def _write_streams(works: Sequence[Work]) -> None:
    for work in works:
        stream = work.stream
        starts_at, ends_at = _outer_span(work)
        stream.first_at = min(filter(None, (stream.first_at, starts_at)), default=None)
        stream.last_at = max(filter(None, (stream.last_at, ends_at)), default=None)
        stream.kind = stream.kind or _recognized(work)
    update_rows(
        rows=[work.stream for work in works],
        fields=[
            "kind",
            "line_count",
            "read_until",
            "reader_state",
            "open_from",
            "first_at",
            "last_at",
            "last_received_at",
        ],
    )


def _recognized(work: Work) -> str:
    """Return the kind that most voices of a stream show, where no label says it."""
    kinds = [extent.stream for extent in work.extents.values() if extent.stream]
    return max(sorted(set(kinds)), key=kinds.count, default="")


def _write_windows(*, works: Sequence[Work], aliases: Mapping[str, str], now: datetime) -> None:
    rows = []
    for work in works:
        if not work.new_line_count and not work.is_read_again:
            continue
        starts_at, ends_at = _outer_span(work)
        stream = work.stream
        common = {
            "organization_id": stream.organization_id,
            "cluster_id": stream.cluster_id,
            "session_id": stream.session_id,
            "attempt_id": stream.attempt_id,
            "starts_at": starts_at,
            "ends_at": ends_at,
            "is_telling": _is_telling(work),
            "created_at": now,
        }
        rows += [TouchedWindow(host=host, **common) for host in _hosts(work, aliases)]
    TouchedWindow.objects.bulk_create(rows)


def _is_telling(work: Work) -> bool:
    """Say whether a stream brought more than progress and context."""
    return work.is_read_again or any(event.role != Role.CONTEXT for event in work.events)


def _hosts(work: Work, aliases: Mapping[str, str]) -> list[str]:
    """Return the nodes that a stream without session tells of; none known: any."""
    if work.stream.session_id:
        return [""]
    named = {work.stream.host, *(event.host for event in work.events)} - {""}
    return sorted({host_names.resolve(name=name, aliases=aliases) for name in named}) or [""]


def _outer_span(work: Work) -> Span:
    starts = [start for start, _ in work.spans if start]
    ends = [end for _, end in work.spans if end]
    return (min(starts, default=None), max(ends, default=None))
