"""What went, counted in the transaction that takes it away."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import F, Func, IntegerField, QuerySet
from django.db.models.functions import Least

from apps.telemetry.models import Batch, Deletion, PushedBody
from apps.telemetry.retention.classes import RetentionClass, days_of, old_before

ROWS_AT_ONCE: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeCount:
    """What one transaction took away."""

    row_count: int = 0
    byte_count: int = 0
    oldest_at: datetime | None = None
    cited_count: int = 0
    is_more: bool = False  # another transaction may find more


class OctetLength(Func):
    """The stored size of a binary column, without reading it."""

    function = "octet_length"
    output_field = IntegerField()


class ColumnSize(Func):
    """The stored size of any column, as compressed as it is."""

    function = "pg_column_size"
    output_field = IntegerField()


def note(*, organization_id: int, kind: RetentionClass, gone: PurgeCount, now: datetime) -> None:
    """Add what went to the record of this run, in the same transaction."""
    if not gone.row_count:
        return
    own = Deletion.objects.for_organization(organization_id).filter(kind=kind, at=now)
    known = own.update(
        row_count=F("row_count") + gone.row_count,
        byte_count=F("byte_count") + gone.byte_count,
        cited_count=F("cited_count") + gone.cited_count,
        oldest_at=Least(F("oldest_at"), gone.oldest_at) if gone.oldest_at else F("oldest_at"),
    )
    if not known:
        Deletion.objects.create(
            organization_id=organization_id,
            at=now,
            kind=kind,
            days=days_of(kind=kind) or 0,
            before=old_before(kind=kind, now=now),
            oldest_at=gone.oldest_at,
            row_count=gone.row_count,
            byte_count=gone.byte_count,
            cited_count=gone.cited_count,
        )


def drop_oldest(
    bodies: QuerySet[Batch] | QuerySet[PushedBody], *, row_bytes: int = 0
) -> PurgeCount:
    """Drop the oldest of these bodies; `row_bytes` is what a row takes beside its body."""
    rows = list(
        bodies.order_by("received_at", "id")
        .annotate(size=OctetLength("body"))
        .values_list("id", "size", "received_at")[:ROWS_AT_ONCE]
    )
    bodies.filter(pk__in=[row[0] for row in rows]).delete()
    return PurgeCount(
        row_count=len(rows),
        byte_count=sum(row[1] + row_bytes for row in rows),
        oldest_at=rows[0][2] if rows else None,
        is_more=len(rows) == ROWS_AT_ONCE,
    )
