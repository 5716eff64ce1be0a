"""Facts go: events, anomalies, warnings that are over, and streams nobody heard since."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Coalesce

from apps.fleet.models import ClusterChange, ExclusionKind, NodeExclusion, NodeReturn
from apps.telemetry.models import (
    Anomaly,
    Batch,
    BatchState,
    EarlyWarning,
    Event,
    KeptLines,
    LogChunk,
    LogStream,
    Progress,
    ProgressBlock,
    RecoveryBlock,
    TouchedWindow,
    VoiceExtent,
)
from apps.telemetry.retention import usage
from apps.telemetry.retention.classes import RetentionClass, old_before
from apps.telemetry.retention.deletions import (
    ROWS_AT_ONCE,
    ColumnSize,
    OctetLength,
    PurgeCount,
)
from apps.telemetry.retention.references import Citing


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPosition:
    """How far events were looked at: cited ones stay, and are not met again in the same run."""

    received_at: datetime
    id: int


def drop_events(
    *, organization_id: int, citing: Citing, now: datetime, after: EventPosition | None
) -> tuple[PurgeCount, EventPosition | None]:
    """Drop events past their time that nobody cites, and say where to go on. Needs the scope."""
    own = Event.objects.for_organization(organization_id).filter(
        received_at__lt=old_before(kind=RetentionClass.EVENTS, now=now)
    )
    if after is not None:
        same = Q(received_at=after.received_at, id__gt=after.id)
        own = own.filter(Q(received_at__gt=after.received_at) | same)
    rows = list(
        own.order_by("received_at", "id")
        .annotate(size=ColumnSize("body"))
        .values_list("id", "stream_id", "order_key", "size", "received_at")[:ROWS_AT_ONCE]
    )
    going = [row for row in rows if not citing.has_line(stream_id=row[1], number=row[2])]
    Event.objects.for_organization(organization_id).filter(
        pk__in=[row[0] for row in going]
    ).delete()
    gone = PurgeCount(
        row_count=len(going),
        byte_count=sum(row[3] + usage.row_bytes(Event) for row in going),
        oldest_at=going[0][4] if going else None,
        cited_count=len(rows) - len(going),
        is_more=len(rows) == ROWS_AT_ONCE,
    )
    return gone, EventPosition(received_at=rows[-1][4], id=rows[-1][0]) if rows else None


def drop_findings(*, organization_id: int, citing: Citing, now: datetime) -> PurgeCount:
    """Drop anomalies and warnings past their time; what is cited or goes on stays."""
    before = old_before(kind=RetentionClass.EVENTS, now=now)
    anomalies = Anomaly.objects.for_organization(organization_id)
    old = anomalies.annotate(last=Coalesce("ends_at", "starts_at")).filter(last__lt=before)
    going = (
        old.exclude(pk__in=citing.anomalies)
        .order_by("last", "id")
        .annotate(size=ColumnSize("body"))
    )
    rows = list(going.values_list("id", "size", "last")[:ROWS_AT_ONCE])
    anomalies.filter(pk__in=[row[0] for row in rows]).delete()
    is_over = Q(ends_at__lt=before) | Q(withdrawn_at__lt=before)
    over = EarlyWarning.objects.for_organization(organization_id).filter(
        is_over, raised_at__lt=before
    )
    ended, _ = over.delete()
    return PurgeCount(
        row_count=len(rows) + ended,
        byte_count=sum(row[1] + usage.row_bytes(Anomaly) for row in rows),
        oldest_at=min((row[2] for row in rows), default=None),
        is_more=len(rows) == ROWS_AT_ONCE,
    )


def drop_known_batches(*, organization_id: int, now: datetime) -> PurgeCount:
    """Forget that a body was sent, so long after nobody sends it again. Needs the scope."""
    before = min(
        old_before(kind=kind, now=now) for kind in (RetentionClass.RAW, RetentionClass.EVENTS)
    )
    own = Batch.objects.for_organization(organization_id)
    chunks = LogChunk.objects.filter(batch=OuterRef("pk"))
    old = own.filter(~Exists(chunks), state=BatchState.INTERPRETED, received_at__lt=before)
    rows = list(old.order_by("received_at", "id").values_list("id", "received_at")[:ROWS_AT_ONCE])
    own.filter(pk__in=[row[0] for row in rows]).delete()
    return PurgeCount(
        row_count=len(rows),
        byte_count=usage.row_bytes(Batch) * len(rows),
        oldest_at=rows[0][1] if rows else None,
        is_more=len(rows) == ROWS_AT_ONCE,
    )


def drop_silent_streams(*, organization_id: int, now: datetime) -> PurgeCount:
    """Drop streams that nobody heard for so long and of which nothing is left. Needs the scope.

    A sender that comes back after that gets a new one.
    """
    before = old_before(kind=RetentionClass.EVENTS, now=now)
    of_stream = [
        each.objects.filter(stream=OuterRef("pk")) for each in (Event, LogChunk, KeptLines)
    ]
    silent = LogStream.objects.for_organization(organization_id).filter(
        *(~Exists(rows) for rows in of_stream), last_received_at__lt=before
    )
    rows = list(
        silent.order_by("id")
        .select_for_update(skip_locked=True, of=("self",))
        .values_list("id", "last_received_at")[:ROWS_AT_ONCE]
    )
    ids = [row[0] for row in rows]
    count = sum(
        model.objects.filter(stream__in=ids).delete()[0]
        for model in (Progress, ProgressBlock, VoiceExtent)
    )
    LogStream.objects.for_organization(organization_id).filter(pk__in=ids).delete()
    return PurgeCount(
        row_count=count + len(ids),
        byte_count=usage.row_bytes(LogStream) * len(ids) + usage.row_bytes(Progress) * count,
        oldest_at=min((row[1] for row in rows if row[1]), default=None),
        is_more=len(rows) == ROWS_AT_ONCE,
    )


def drop_exclusions(*, organization_id: int, now: datetime) -> PurgeCount:
    """Drop exclusions of nodes that were over so long ago, and returns as old. Needs the scope."""
    before = old_before(kind=RetentionClass.EVENTS, now=now)
    own = NodeExclusion.objects.for_organization(organization_id)
    of_jobs = Q(kind=ExclusionKind.JOB, starts_at__lt=before)
    count, _ = own.filter(Q(ends_at__lt=before) | of_jobs).delete()
    returns = NodeReturn.objects.for_organization(organization_id)
    count += returns.filter(at__lt=before).delete()[0]
    return PurgeCount(row_count=count)


def drop_changes(*, organization_id: int, now: datetime) -> PurgeCount:
    """Drop changes that were over so long ago. Needs the scope."""
    before = old_before(kind=RetentionClass.EVENTS, now=now)
    own = ClusterChange.objects.for_organization(organization_id)
    is_over = Q(ends_at__lt=before) | Q(ends_at=None, starts_at__lt=before)
    count, _ = own.filter(is_over).delete()
    return PurgeCount(row_count=count)


def drop_recovery(*, organization_id: int, now: datetime) -> PurgeCount:
    """Drop what jobs told of recovering in place, block by block. Needs the scope.

    A block is as old as the newest of its facts.
    """
    before = old_before(kind=RetentionClass.EVENTS, now=now)
    own = RecoveryBlock.objects.for_organization(organization_id)
    old = own.filter(received_at__lt=before).order_by("received_at", "id")
    sized = old.annotate(size=OctetLength("body"))
    rows = list(sized.values_list("id", "size", "received_at")[:ROWS_AT_ONCE])
    own.filter(pk__in=[row[0] for row in rows]).delete()
    return PurgeCount(
        row_count=len(rows),
        byte_count=sum(row[1] + usage.row_bytes(RecoveryBlock) for row in rows),
        oldest_at=rows[0][2] if rows else None,
        is_more=len(rows) == ROWS_AT_ONCE,
    )


def drop_windows(*, organization_id: int, now: datetime) -> PurgeCount:
    """Drop touched windows that nobody took for so long. Needs the scope."""
    before = old_before(kind=RetentionClass.EVENTS, now=now)
    own = TouchedWindow.objects.for_organization(organization_id)
    count, _ = own.filter(created_at__lt=before).delete()
    return PurgeCount(row_count=count)
