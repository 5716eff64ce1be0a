"""Batches → streams read on → one bulk write of what they said. Holds no regular expression."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from apps.fleet.hosts import host_names
from apps.fleet.models import Cluster
from apps.telemetry import subscribers
from apps.telemetry.formats.line_merge import Lines
from apps.telemetry.formats.lines.line_blocks import LinePiece
from apps.telemetry.formats.pack import stamps_of, unpacked
from apps.telemetry.limits.processor_budget import Budget, budget_for
from apps.telemetry.logs import streams
from apps.telemetry.logs.interpretation import device_discovery, stream_reading
from apps.telemetry.logs.interpretation.stream_rows import write_works
from apps.telemetry.logs.interpretation.stream_update import Work
from apps.telemetry.models import (
    Batch,
    BatchState,
    LogStream,
)
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
