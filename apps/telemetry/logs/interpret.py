"""Batches → streams read on → one bulk write of what they said. Holds no regular expression."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain

from django.db.models import Q

from apps.diagnosis.model import Role
from apps.fleet.hosts import host_names
from apps.fleet.models import Cluster
from apps.telemetry import subscribers
from apps.telemetry.formats.line_merge import Lines
from apps.telemetry.formats.lines.line_blocks import LinePiece
from apps.telemetry.formats.pack import stamps_of, unpacked
from apps.telemetry.limits.processor_budget import Budget, budget_for
from apps.telemetry.logs import device_discovery, event_rows, stream_reading, streams
from apps.telemetry.logs.stream_update import Span, Work
from apps.telemetry.models import (
    Batch,
    BatchState,
    Event,
    LogChunk,
    LogStream,
    Progress,
    TouchedWindow,
    VoiceExtent,
)
from apps.tenancy.database.bulk_rows import insert_new_rows, insert_or_update_rows, update_rows
from apps.tenancy.models import Organization

Parts = dict[streams.Key, list[tuple[Batch, Lines]]]


def interpret_batches(*, organization_id: int, batch_ids: Sequence[int], now: datetime) -> int:
    """Interpret waiting batches as one; return how many lines were read.

    Needs the organization's scope. Repeatable: a batch that was interpreted meanwhile is left
    alone, and facts are unique in the database. Raises OverBudget.
    """
    own = Batch.objects.for_organization(organization_id).filter(pk__in=batch_ids)
    waiting = own.filter(state=BatchState.ACCEPTED).select_for_update(skip_locked=True)
    batches = list(waiting.order_by("id"))
    organization = Organization.objects.get(pk=organization_id)
    budget = budget_for(byte_count=sum(batch.byte_count for batch in batches))
    line_count = 0
    for cluster_id, group in _by_cluster(batches).items():
        cluster = Cluster.objects.get(pk=cluster_id) if cluster_id else None
        line_count += _interpret(
            organization=organization, cluster=cluster, batches=group, budget=budget, now=now
        )
    # The lines are in the chunks now; the row stays, so that a body sent again is known.
    own.filter(pk__in=[batch.pk for batch in batches]).update(
        state=BatchState.INTERPRETED, finished_at=now, body=b"", error=""
    )
    return line_count


def write_works(*, works: Sequence[Work], aliases: Mapping[str, str], now: datetime) -> None:
    """Write what was read of several streams, each table once."""
    _clear_replaced(works)
    LogChunk.objects.bulk_create(chain.from_iterable(work.new_chunks for work in works))
    old = [chunk for work in works for chunk in work.old_chunks]
    update_rows(rows=old, fields=["first_number", "state_before"])
    insert_new_rows(rows=[row for work in works for row in work.events])
    _write_progress(works)
    _write_extents(works)
    _write_streams(works)
    _write_windows(works=works, aliases=aliases, now=now)


def _interpret(
    *,
    organization: Organization,
    cluster: Cluster | None,
    batches: Sequence[Batch],
    budget: Budget,
    now: datetime,
) -> int:
    parts, labels = _parts(cluster=cluster, batches=batches)
    found = streams.locked_streams(
        organization=organization, cluster=cluster, labels=labels, now=now
    )
    works = [_read(stream=found[key], parts=parts[key], budget=budget) for key in sorted(parts)]
    aliases = (
        host_names.alias_table(cluster_id=cluster.pk, reader_id=organization.pk) if cluster else {}
    )
    write_works(works=works, aliases=aliases, now=now)
    if cluster:
        device_discovery.record(
            organization_id=organization.pk, cluster_id=cluster.pk, works=works, aliases=aliases
        )
    subscribers.on_commit(
        organization_id=organization.pk, cluster_id=cluster.pk if cluster else None
    )
    return sum(work.new_line_count for work in works)


def _by_cluster(batches: Iterable[Batch]) -> dict[int | None, list[Batch]]:
    groups: dict[int | None, list[Batch]] = defaultdict(list)
    for batch in batches:
        groups[batch.cluster_id].append(batch)
    return groups


def _parts(
    *, cluster: Cluster | None, batches: Sequence[Batch]
) -> tuple[Parts, dict[streams.Key, tuple[Mapping[str, str], bool]]]:
    parts: Parts = defaultdict(list)
    labels: dict[streams.Key, tuple[Mapping[str, str], bool]] = {}
    for batch in batches:
        for piece in unpacked(body=bytes(batch.body)):
            is_stamped = piece.stamps is not None
            key = streams.key_of(
                labels=piece.labels,
                cluster_id=cluster.pk if cluster else None,
                is_stamped=is_stamped,
            )
            labels[key] = (piece.labels, is_stamped)
            parts[key].append((batch, _lines(piece)))
    return parts, labels


def _lines(piece: LinePiece) -> Lines:
    return Lines(text=piece.text, line_count=piece.line_count, stamps=stamps_of(piece=piece))


def _read(*, stream: LogStream, parts: Sequence[tuple[Batch, Lines]], budget: Budget) -> Work:
    received_at = max(batch.received_at for batch, _ in parts)
    work = Work(stream=stream, received_at=received_at, budget=budget)
    if stream.is_ordered_by_stamp:
        stream_reading.read_stamped(work=work, parts=parts)
    else:
        for batch, lines in parts:
            stream_reading.read_file_part(work=work, batch=batch, lines=lines)
    return work


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


def stream_ids(*, organization_id: int, since: datetime | None) -> list[int]:
    """Return an organization's streams, only those heard since an instant. Needs the scope."""
    own = LogStream.objects.for_organization(organization_id).filter(line_count__gt=0)
    heard = own.filter(last_received_at__gte=since) if since else own
    return list(heard.order_by("id").values_list("id", flat=True))


def read_stream_again(*, organization_id: int, stream_id: int, now: datetime) -> None:
    """Replace everything that was read of a stream by what today's catalog reads of it.

    Needs the scope; one transaction. Repeatable: the same lines give the same fingerprints.
    """
    own = LogStream.objects.for_organization(organization_id).select_for_update(of=("self",))
    stream = own.filter(pk=stream_id).first()
    if stream is None:
        return
    work = Work(stream=stream, received_at=stream.last_received_at or now)
    stream_reading.read_again(work=work, from_key=None)
    cluster_id = stream.cluster_id
    aliases = (
        host_names.alias_table(cluster_id=cluster_id, reader_id=organization_id)
        if cluster_id
        else {}
    )
    write_works(works=[work], aliases=aliases, now=now)
    subscribers.on_commit(organization_id=organization_id, cluster_id=cluster_id)
