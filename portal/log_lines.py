"""How the processes log: one JSON object a line, a dotted event and its fields."""

import json
import logging
from datetime import UTC, datetime

_OWN = frozenset(vars(logging.makeLogRecord({}))) | {
    "message",
    "asctime",
    "taskName",
    "color_message",
}


class JsonLines(logging.Formatter):
    """Write a record as one line that no value in it can break."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON: when, how bad, who, what, and its extra fields."""
        fields = {key: value for key, value in vars(record).items() if key not in _OWN}
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **fields,
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)
