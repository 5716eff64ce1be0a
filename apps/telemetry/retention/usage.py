"""How much an organization keeps, table by table: counted whole after a run, else what is new."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Count, F, Func, Max, Min, Sum
from django.db.models.functions import Greatest

from apps.telemetry.models import (
    Anomaly,
    Batch,
    CollectiveTail,
    EarlyWarning,
    Event,
    EvidenceBlock,
    KeptLines,
    LogChunk,
    LoggedCheckpoints,
    LogStream,
    MetricMinute,
    PartList,
    Progress,
    ProgressBlock,
    PushedBlock,
    PushedMetric,
    RecoveryBlock,
    SeriesState,
    StoragePhase,
    StorageSlot,
    StragglerFinding,
    Usage,
    VoiceExtent,
)
from apps.telemetry.retention.classes import RetentionClass
from apps.telemetry.retention.deletions import ColumnSize, OctetLength, PurgeCount
from apps.tenancy.models import OwnedModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table that grows with what comes in, and what a row of it takes."""

    kind: RetentionClass
    model: type[OwnedModel]
    size: Func | F | None  # of the large column
    row_bytes: int  # the other columns and the row's part of the indexes, as measured
    since: str = ""  # the column that says how old a row is
    is_rewritten: bool = False  # rows change or come and go: counted anew, large ones seldom

    @property
    def name(self) -> str:
        """Its name in the database."""
        return self.model._meta.db_table  # noqa: SLF001  Django's own way to a table's name


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassUsage:
    """How much there is of one class. Bytes are an estimate: of rows, without what is unused."""

    row_count: int = 0
    byte_count: int = 0
    oldest_at: datetime | None = None


BODY, TEXT = OctetLength("body"), ColumnSize("body")
RAW, EVENTS, METRICS, INCIDENTS = (
    RetentionClass.RAW,
    RetentionClass.EVENTS,
    RetentionClass.METRICS,
    RetentionClass.INCIDENTS,
)
TABLES: Final[Sequence[Table]] = (
    Table(kind=RAW, model=LogChunk, size=BODY, row_bytes=500, since="batch__received_at"),
    Table(kind=EVENTS, model=Batch, size=None, row_bytes=600, since="received_at"),
    Table(kind=EVENTS, model=Event, size=TEXT, row_bytes=680, since="received_at"),
    Table(kind=EVENTS, model=Anomaly, size=TEXT, row_bytes=600, since="starts_at"),
    Table(kind=EVENTS, model=Progress, size=TEXT, row_bytes=300, is_rewritten=True),
    Table(kind=EVENTS, model=ProgressBlock, size=BODY, row_bytes=200, is_rewritten=True),
    Table(kind=EVENTS, model=RecoveryBlock, size=BODY, row_bytes=250, is_rewritten=True),
    Table(kind=EVENTS, model=VoiceExtent, size=TEXT, row_bytes=250, is_rewritten=True),
    Table(
        kind=EVENTS,
        model=LogStream,
        size=OctetLength("reader_state"),
        row_bytes=900,
        is_rewritten=True,
    ),
    Table(
        kind=EVENTS,
        model=EarlyWarning,
        size=ColumnSize("contributions"),
        row_bytes=600,
        is_rewritten=True,
    ),
    Table(
        kind=EVENTS,
        model=StorageSlot,
        size=OctetLength("hosts"),
        row_bytes=1500,  # with its totals
        is_rewritten=True,
    ),
    Table(
        kind=EVENTS, model=StoragePhase, size=OctetLength("hosts"), row_bytes=600, is_rewritten=True
    ),
    Table(kind=EVENTS, model=LoggedCheckpoints, size=TEXT, row_bytes=200, is_rewritten=True),
    Table(kind=EVENTS, model=StragglerFinding, size=TEXT, row_bytes=400, since="added_at"),
    Table(
        kind=EVENTS,
        model=CollectiveTail,
        size=OctetLength("body"),
        row_bytes=200,
        is_rewritten=True,
    ),
    Table(kind=METRICS, model=PushedBlock, size=F("byte_count"), row_bytes=200, is_rewritten=True),
    Table(
        kind=METRICS,
        model=PushedMetric,
        size=OctetLength("labels"),
        row_bytes=300,
        is_rewritten=True,
    ),
    Table(kind=METRICS, model=MetricMinute, size=BODY, row_bytes=250, is_rewritten=True),
    Table(kind=METRICS, model=PartList, size=BODY, row_bytes=150, is_rewritten=True),
    Table(kind=METRICS, model=SeriesState, size=BODY, row_bytes=150, is_rewritten=True),
    Table(kind=INCIDENTS, model=EvidenceBlock, size=BODY, row_bytes=900),
    Table(kind=INCIDENTS, model=KeptLines, size=BODY, row_bytes=200, since="kept_at"),
)
ADDED: list[Table] = []  # apps above add theirs when they start
# A table of more rows that are rewritten is counted anew after so long, not every two minutes.
LARGE_ROWS: Final = 20_000
COUNTED_EVERY: Final = timedelta(minutes=15)


def row_bytes(model: type[OwnedModel]) -> int:
    """Return what a row of a table takes beside its large column."""
    return next(table.row_bytes for table in TABLES if table.model is model)


def take_off(*, organization_id: int, model: type[OwnedModel], gone: PurgeCount) -> None:
    """Count what went off what was measured, in the transaction that takes it. Needs the scope."""
    own = Usage.objects.for_organization(organization_id)
    own.filter(table=model._meta.db_table).update(  # noqa: SLF001  Django's own way to the name
        row_count=Greatest(F("row_count") - gone.row_count, 0),
        byte_count=Greatest(F("byte_count") - gone.byte_count, 0),
    )


def measure(*, organization_id: int, now: datetime, is_whole: bool = False) -> None:
    """Bring the counts of an organization up to date. Needs the scope.

    What commits out of the order of its ids is counted when the next run ends.
    """
    # What goes meanwhile is taken off behind this, not lost under it.
    own = Usage.objects.for_organization(organization_id).order_by("id").select_for_update()
    known = {row.table: row for row in own}
    rows = []
    for table in (*TABLES, *ADDED):
        row = known.get(table.name)
        if row and table.is_rewritten and not is_whole and _is_known(row, now):
            continue
        if row is None or is_whole or table.is_rewritten:
            row = Usage(organization_id=organization_id, kind=table.kind, table=table.name)
        rows.append(_counted(row=row, table=table, now=now))
    Usage.objects.bulk_create(
        rows_without_ids(rows),
        update_conflicts=True,
        unique_fields=["organization", "table"],
        update_fields=["kind", "until_id", "row_count", "byte_count", "oldest_at", "measured_at"],
    )


def kept_of(*, organization_id: int) -> Mapping[RetentionClass, ClassUsage]:
    """Return how much an organization keeps of each class, as measured last. Needs the scope."""
    rows: defaultdict[RetentionClass, list[Usage]] = defaultdict(list)
    for row in Usage.objects.for_organization(organization_id):
        rows[RetentionClass(row.kind)].append(row)
    return {
        kind: ClassUsage(
            row_count=sum(row.row_count for row in rows[kind]),
            byte_count=sum(row.byte_count for row in rows[kind]),
            oldest_at=min((row.oldest_at for row in rows[kind] if row.oldest_at), default=None),
        )
        for kind in RetentionClass
    }


def stored_bytes(*, organization_id: int) -> int:
    """Return how much an organization keeps altogether, as measured last. Needs the scope."""
    own = Usage.objects.for_organization(organization_id)
    return int(own.aggregate(sum=Sum("byte_count"))["sum"] or 0)


def row_count(*, organization_id: int, model: type[OwnedModel]) -> int:
    """Return how many rows of a table an organization has, as measured last. Needs the scope."""
    own = Usage.objects.for_organization(organization_id)
    rows = own.filter(table=model._meta.db_table)  # noqa: SLF001  Django's own way to the name
    return int(rows.values_list("row_count", flat=True).first() or 0)


def rows_without_ids(rows: Sequence[Usage]) -> list[Usage]:
    """Return rows as new ones, for a write that updates where they exist."""
    for row in rows:
        row.pk = None
    return list(rows)


def _is_known(row: Usage, now: datetime) -> bool:
    return row.row_count > LARGE_ROWS and now - row.measured_at < COUNTED_EVERY


def _counted(*, row: Usage, table: Table, now: datetime) -> Usage:
    manager: Any = table.model.objects
    fresh = manager.for_organization(row.organization_id).filter(id__gt=row.until_id)
    found = fresh.aggregate(
        rows=Count("id"),
        size=Sum(table.size) if table.size else Sum(0),
        until=Max("id"),
        since=Min(table.since or "id"),
    )
    row.row_count += found["rows"]
    row.byte_count += (found["size"] or 0) + table.row_bytes * found["rows"]
    row.until_id = found["until"] or row.until_id
    if table.since and found["since"]:
        row.oldest_at = min(filter(None, (row.oldest_at, found["since"])))
    row.measured_at = now
    return row
