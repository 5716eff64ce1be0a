"""NVIDIA Fabric Manager: `[Nov 09 2026 03:12:44] [ERROR] [tid 1234] text`, local time."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import MONTHS, Stamp
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"\[([A-Z][a-z]{2}) (\d\d) (\d{4}) (\d\d):(\d\d):(\d\d)\] \[[A-Z]{4,8}\] \[tid \d{1,10}\] ",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    month, day, year, hour, minute, second = match.groups()
    if month not in MONTHS:
        return None
    stamp = Stamp(
        year=int(year),
        month=MONTHS[month],
        day=int(day),
        hour=int(hour),
        minute=int(minute),
        second=int(second),
    )
    return Peel(rest=text[match.end() :], stamp=stamp, stream=Stream.FABRIC)


FABRIC_MANAGER = Dialect(name="fabric_manager", starts="[", peel=_peel, order=20)
