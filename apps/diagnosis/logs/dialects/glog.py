"""glog and torchrun: `E1120 03:05:20.301000 4021 torch/distributed/elastic/….py:984] text`; mostly
without a year."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import Stamp, microseconds

PREFIX = re.compile(
    r"[EWIFDC](20\d\d)?(\d{1,2})(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{1,9}) {1,10}(\d{1,15}) "
    r"[\w./+<>-]{1,250}:\d{1,6}\] ?",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, pid = match.groups()
    stamp = Stamp(
        year=int(year) if year else None,
        month=int(month),
        day=int(day),
        hour=int(hour),
        minute=int(minute),
        second=int(second),
        microsecond=microseconds(fraction),
    )
    return Peel(rest=text[match.end() :], stamp=stamp, pid=int(pid) if len(pid) < 10 else None)


GLOG = Dialect(name="glog", starts="EWIFDC", peel=_peel, order=20)
