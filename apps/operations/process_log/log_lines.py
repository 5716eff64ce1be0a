"""How the processes log: one JSON object a line, a dotted event and its fields.

Never what somebody sent: no request line, no text of an exception, nothing that opens a door.
"""

import json
import logging
import math
import re
import traceback
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from apps.secret_shapes import HIDDEN, hide_shapes

_OWN = frozenset(vars(logging.makeLogRecord({}))) | {
    "message",
    "asctime",
    "taskName",
    "color_message",
}
# Tokens of the portal however short, and passwords in the addresses of servers.
_SECRET = re.compile(r"flt_[A-Za-z0-9_-]+|(?<=://)[^/@\s\"\\]*@")
# What the work at hand is called: which request, or which task.
_at_hand: ContextVar[Mapping[str, str] | None] = ContextVar("at_hand", default=None)


def name_work(**names: str) -> None:
    """Put these names on every line from here on: of this request or task, until named anew."""
    _at_hand.set(names)


class JsonLines(logging.Formatter):
    """Write a record as one line that no value in it can break."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON: when, how bad, who, what, and its extra fields."""
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": _event(record),
            **(_at_hand.get() or {}),
            **{key: _plain(value) for key, value in vars(record).items() if key not in _OWN},
        }
        if record.exc_info and record.exc_info[0]:
            line["exception"] = record.exc_info[0].__name__
            line["where"] = _where(record.exc_info[2])
        return _SECRET.sub(HIDDEN, hide_shapes(json.dumps(line)))


def _event(record: logging.LogRecord) -> str:
    """Return the message, or what Django's message is about: its text holds the path asked for."""
    if hasattr(record, "request"):
        return "request.failed" if record.levelno >= logging.ERROR else "request.refused"
    return record.getMessage()


def _where(at: TracebackType | None) -> list[str]:
    """Return the innermost frames; the text of an exception may quote a line of somebody's log."""
    frames = traceback.extract_tb(at)[-8:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]


def _plain(value: Any) -> Any:
    """Return what JSON can say; of other objects only their kind, for their text may hold all."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, datetime | Path) else type(value).__name__
