"""Go programs: `2026/11/09 03:12:44 text`, local time."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import Stamp, microseconds

PREFIX = re.compile(
    r"(\d{4})/(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?: \[[a-zA-Z]{3,8}\])?:? ",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction = match.groups()
    stamp = Stamp(
        year=int(year),
        month=int(month),
        day=int(day),
        hour=int(hour),
        minute=int(minute),
        second=int(second),
        microsecond=microseconds(fraction),
    )
    return Peel(rest=text[match.end() :], stamp=stamp)


SLASH_DATE = Dialect(name="slash_date", starts="12", peel=_peel, order=30)
