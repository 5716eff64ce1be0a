"""One line, read with nothing else known."""

from datetime import UTC, datetime
from typing import Any

from apps.diagnosis.logs.parse import parse
from apps.diagnosis.model import LogLine, Origin

RECEIVED = datetime(2026, 11, 20, 12, tzinfo=UTC)


def local(*parts: int) -> datetime:
    """Return a time as printed, whose zone nobody said."""
    return datetime(*parts)  # type: ignore[arg-type]  # noqa: DTZ001  naive on purpose


def read(text: str, **origin: Any) -> LogLine:
    found = Origin(source="log", **({"received_at": RECEIVED} | origin))
    return parse(text=text, origin=found, number=1)
