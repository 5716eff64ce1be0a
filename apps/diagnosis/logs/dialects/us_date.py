"""Hugging Face examples and rich: `11/20/2026 03:02:10 - INFO - name - text`, `[11/20/26 03:02:10]
INFO  text`: the month comes first, local time."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import Stamp

PREFIX = re.compile(
    r"(?:\[(\d\d)/(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d)\] {1,3}[A-Z]{4,8} {1,6}|"
    r"(\d\d)/(\d\d)/(\d{4}) (\d\d):(\d\d):(\d\d) - [A-Z]{4,8} - [\w.]{1,120} - )",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    month, day, year, hour, minute, second = (int(one) for one in match.groups() if one)
    stamp = Stamp(
        year=year + 2000 if year < 100 else year,
        month=month,
        day=day,
        hour=hour,
        minute=minute,
        second=second,
    )
    return Peel(rest=text[match.end() :], stamp=stamp)


US_DATE = Dialect(name="us_date", starts="[01", peel=_peel, order=20)
