"""Loggers that print the level first: `INFO 11-09 03:12:44 [worker.py:123] text` (vLLM, no year),
`INFO 2026-11-09 03:12:44,123 trainer.py:12] text`."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import Stamp, microseconds

PREFIX = re.compile(
    r"(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL):? {1,4}(?:(\d{4})-)?(\d\d)-(\d\d) "
    r"(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?: \[?[\w./<>-]{1,160}:\d{1,6}\])?:? ?",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction = match.groups()
    stamp = Stamp(
        year=int(year) if year else None,
        month=int(month),
        day=int(day),
        hour=int(hour),
        minute=int(minute),
        second=int(second),
        microsecond=microseconds(fraction),
    )
    return Peel(rest=text[match.end() :], stamp=stamp)


LEVEL_FIRST = Dialect(name="level_first", starts="DIWECF", peel=_peel, order=30)
