"""`dmesg -T`: `[Mon Nov  9 03:12:44 2026] text`, local time computed from the uptime; relays put
`host kernel: ` behind it.
"""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import MONTHS, Stamp
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"\[[A-Z][a-z]{2} ([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d) (\d{4})\] ?"
    r"(?:([\w.-]{1,253}) kernel: )?",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    month, day, hour, minute, second, year, host = match.groups()
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
    return Peel(rest=text[match.end() :], stamp=stamp, host=host, stream=Stream.KERNEL)


DMESG_TIME = Dialect(name="dmesg_time", starts="[", peel=_peel, order=20)
