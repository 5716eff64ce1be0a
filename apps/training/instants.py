"""Instants as whole milliseconds, so that spans add up exactly."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
SECOND_MS = 1000
HOUR_MS = 3_600_000


def milliseconds(at: datetime) -> int:
    """Return an instant as milliseconds since 1970, what is less cut off."""
    return (at - EPOCH) // MILLISECOND


def instant(at_ms: int) -> datetime:
    """Return the instant of milliseconds since 1970."""
    return EPOCH + at_ms * MILLISECOND
