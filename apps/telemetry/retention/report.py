"""What an organization keeps, what goes next and what went: for those who read its data."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from django.db.models import Count, Max, Sum

from apps.telemetry.models import Deletion, Event, LogChunk, Usage
from apps.telemetry.retention import quota, usage
from apps.telemetry.retention.classes import RetentionClass, days_of, next_midnight, old_before
from apps.telemetry.retention.deletions import ColumnSize, OctetLength
from apps.telemetry.retention.purge import days
from apps.telemetry.retention.usage import ClassUsage
from apps.telemetry.values import DeletionView, deletion_view
from apps.tenancy.access import Actor, Right

LATEST: Final = 60
# What a run that was missed left over goes along.
LEFT_OVER: Final = timedelta(days=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassReport:
    """One class: its rule, how much there is of it, and what becomes old at the next midnight."""

    kind: RetentionClass
    days: int | None  # None: for ever
    kept: ClassUsage
    next: ClassUsage | None  # None: not counted in advance


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionReport:
    """What is kept and what goes, in estimated bytes."""

    classes: tuple[ClassReport, ...]
    stored_bytes: int
    limit_bytes: int  # 0: no limit
    late_days: tuple[date, ...]  # of raw text: should have gone and could not yet
    late_unread: int  # own bodies of those days that wait to be read
    measured_at: datetime | None
    next_at: datetime
    deletions: tuple[DeletionView, ...]  # the newest first


def report_of(*, actor: Actor, now: datetime) -> RetentionReport:
    """Return what the actor's organization keeps. Needs its scope."""
    actor.require(Right.READ)
    organization_id = actor.organization.pk
    kept, next_at = usage.kept_of(organization_id=organization_id), next_midnight(now=now)
    coming = {
        RetentionClass.RAW: _next_raw(organization_id, next_at),
        RetentionClass.EVENTS: _next_events(organization_id, next_at),
    }
    own = Usage.objects.for_organization(organization_id)
    late_days = days.late(now=now)
    went = Deletion.objects.for_organization(organization_id).order_by("-at", "kind", "id")
    return RetentionReport(
        classes=tuple(
            ClassReport(kind=kind, days=days_of(kind=kind), kept=kept[kind], next=coming.get(kind))
            for kind in RetentionClass
        ),
        stored_bytes=sum(each.byte_count for each in kept.values()),
        limit_bytes=quota.limit_of(organization_id=organization_id),
        late_days=late_days,
        late_unread=days.unread_count(organization_id=organization_id, of=late_days),
        measured_at=own.aggregate(at=Max("measured_at"))["at"],
        next_at=next_at,
        deletions=tuple(map(deletion_view, went[:LATEST])),
    )


def _next_raw(organization_id: int, next_at: datetime) -> ClassUsage:
    before = old_before(kind=RetentionClass.RAW, now=next_at)
    own = LogChunk.objects.for_organization(organization_id).filter(
        batch__received_at__lt=before,
        batch__received_at__gte=before - LEFT_OVER,
        arrived_on__lt=before.date(),
    )
    found = own.aggregate(rows=Count("id"), size=Sum(OctetLength("body")))
    return _kept(LogChunk, found)


def _next_events(organization_id: int, next_at: datetime) -> ClassUsage:
    before = old_before(kind=RetentionClass.EVENTS, now=next_at)
    own = Event.objects.for_organization(organization_id).filter(
        received_at__lt=before, received_at__gte=before - LEFT_OVER
    )
    found = own.aggregate(rows=Count("id"), size=Sum(ColumnSize("body")))
    return _kept(Event, found)


def _kept(model: type[LogChunk | Event], found: dict[str, int | None]) -> ClassUsage:
    rows = found["rows"] or 0
    return ClassUsage(
        row_count=rows, byte_count=(found["size"] or 0) + usage.row_bytes(model) * rows
    )
