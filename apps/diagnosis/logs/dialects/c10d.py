"""PyTorch C++: `[E1109 03:12:44.123456789 ProcessGroupNCCL.cpp:683] text`; the month is not padded,
no year. Some logs have the whole date: `[E 2026-11-09 03:12:44.123 ProcessGroupNCCL.cpp:683] text`.
"""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import Stamp, microseconds
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"\[[EWIFC](?: (\d{4})-)?(\d{1,2})-?(\d\d)[ T](\d\d):(\d\d):(\d\d)"
    r"(?:[.,](\d{1,9}))?(?: \d{1,10})? [\w./+-]{1,200}:\d{1,6}\] ?",
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
    return Peel(rest=text[match.end() :], stamp=stamp, stream=Stream.SESSION)


C10D = Dialect(name="c10d", starts="[", peel=_peel, order=20)
