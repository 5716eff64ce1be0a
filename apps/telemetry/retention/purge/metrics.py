"""What is kept of metrics outside windows and evidence goes: unreadable bodies, old memory."""

from datetime import datetime

from apps.telemetry.models import BatchState, PushedBody, SeriesState
from apps.telemetry.retention.classes import RetentionClass, old_before
from apps.telemetry.retention.deletions import OctetLength, PurgeCount, drop_oldest
from apps.tenancy.work import failed_work


def drop_unread(*, organization_id: int, now: datetime) -> PurgeCount:
    """Drop pushed bodies that could not be interpreted and are past their time. Needs the scope."""
    own = PushedBody.objects.for_organization(organization_id).filter(
        state=BatchState.DEAD, received_at__lt=old_before(kind=RetentionClass.METRICS, now=now)
    )
    going = [str(pk) for pk in own.values_list("pk", flat=True)]
    failed_work.forget(organization_id=organization_id, kind=PushedBody.WORK, subjects=going)
    return drop_oldest(own)


def drop_memory(*, organization_id: int, now: datetime) -> PurgeCount:
    """Drop what detectors remember of sources that fell silent long ago. Needs the scope."""
    own = SeriesState.objects.for_organization(organization_id).filter(
        until__lt=old_before(kind=RetentionClass.METRICS, now=now)
    )
    rows = list(own.annotate(size=OctetLength("body")).values_list("id", "size", "until"))
    own.filter(pk__in=[row[0] for row in rows]).delete()
    return PurgeCount(
        row_count=len(rows),
        byte_count=sum(row[1] for row in rows),
        oldest_at=min((row[2] for row in rows), default=None),
    )
