"""Moments as Prometheus writes them."""

from datetime import UTC, datetime


def second_text(value: float) -> str:
    """Return Unix seconds as short as they can be written."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def instant(second: float) -> datetime:
    """Return Unix seconds as an aware time."""
    return datetime.fromtimestamp(second, UTC)
