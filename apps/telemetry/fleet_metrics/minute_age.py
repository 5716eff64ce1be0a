"""For how long minutes are kept: so far back the fleet can be looked at."""

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings

from apps.telemetry.models import MetricMinute, PartList

ROWS_AT_ONCE: Final = 50_000


def oldest_kept(*, now: datetime) -> datetime:
    """Return since when minutes are kept."""
    return now - timedelta(hours=settings.PORTAL_FLEET_HOURS)


def drop_minutes(*, organization_id: int, now: datetime) -> int:
    """Drop minutes past their time, and lists that nothing uses. Needs the scope. Repeatable."""
    own = MetricMinute.objects.for_organization(organization_id)
    old = own.filter(at__lt=oldest_kept(now=now)).order_by("at", "id")
    ids = list(old.values_list("pk", flat=True)[:ROWS_AT_ONCE])
    own.filter(pk__in=ids).delete()
    used = own.order_by().values("parts")
    PartList.objects.for_organization(organization_id).exclude(pk__in=used).delete()
    return len(ids)
