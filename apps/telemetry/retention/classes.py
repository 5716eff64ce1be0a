"""The classes of what is kept, and from when on something of a class is old."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum

from django.conf import settings


class RetentionClass(StrEnum):
    """What shares a rule. Incidents, their evidence and what they cite are kept for ever."""

    RAW = "raw"  # text of logs
    EVENTS = "events"  # what was read of logs and of metrics
    METRICS = "metrics"  # of metrics, outside windows (which have their own) and evidence
    INCIDENTS = "incidents"


def days_of(*, kind: RetentionClass) -> int | None:
    """Return for how many days a class is kept; None: for ever."""
    days = {
        RetentionClass.RAW: settings.PORTAL_KEEP_RAW_DAYS,
        RetentionClass.EVENTS: settings.PORTAL_KEEP_EVENTS_DAYS,
        RetentionClass.METRICS: settings.PORTAL_KEEP_METRICS_DAYS,
    }
    return days.get(kind)


def old_before(*, kind: RetentionClass, now: datetime) -> datetime:
    """Return the instant before which everything of a class is old: always a midnight of UTC.

    So a day goes as a whole, at one known time, and nothing younger than its class ever does.
    """
    days = days_of(kind=kind)
    if days is None:
        return datetime.min.replace(tzinfo=UTC)
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight - timedelta(days=days)


def next_midnight(*, now: datetime) -> datetime:
    """Return when the next day of each class becomes old."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + timedelta(days=1)
