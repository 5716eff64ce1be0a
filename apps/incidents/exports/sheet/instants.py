"""Instants of a document: read from what REST sends, and written for people, in UTC."""

from datetime import UTC, datetime
from typing import Any


def read_instant(told: Any) -> datetime | None:
    """Return the instant that REST told, None where it told none."""
    if told is None or isinstance(told, datetime):
        return told
    return datetime.fromisoformat(str(told)).astimezone(UTC)


def instant_text(told: Any) -> str:
    """Return an instant in words, with milliseconds where it has some; empty for none."""
    at = read_instant(told)
    if at is None:
        return ""
    fraction = f".{at.microsecond // 1000:03d}" if at.microsecond else ""
    return f"{at:%Y-%m-%d %H:%M:%S}{fraction}"


def span_text(seconds: float) -> str:
    """Return how long something lasted, in two units at most: 3 h 20 min."""
    whole = round(abs(seconds))
    parts = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))
    words = []
    for size, unit in parts:
        count, whole = divmod(whole, size)
        if count:
            words.append(f"{count} {unit}")
        if len(words) == 2 or (words and not count):
            break
    return " ".join(words) or "0 s"
