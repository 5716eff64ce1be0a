"""NCCL: `[time] host:pid:tid [dev] NCCL INFO text`, `… file:line (function) NCCL WARN text`. It
prints no rank."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import Stamp, microseconds
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"(?:\[(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?\] )?"
    r"([A-Za-z0-9][\w.-]{0,252}):(\d{1,10}):(\d{1,10}) \[(-?\d{1,4})\] "
    r"(?:[\w./-]{1,200}:\d{1,6} (?:\(\w{1,80}\) )?)?NCCL (?:INFO|TRACE|VERSION|WARN|ABORT) ",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    host, pid, _, device = match.groups()[7:]
    return Peel(
        rest=text[match.end() :],
        stamp=_stamp(match) if match.group(1) else None,
        host=host,
        pid=int(pid),
        gpu=int(device) if int(device) >= 0 else None,
        stream=Stream.SESSION,
    )


def _stamp(match: re.Match[str]) -> Stamp:
    year, month, day, hour, minute, second, fraction = match.groups()[:7]
    return Stamp(
        year=int(year),
        month=int(month),
        day=int(day),
        hour=int(hour),
        minute=int(minute),
        second=int(second),
        microsecond=microseconds(fraction),
    )


NCCL = Dialect(name="nccl", starts="", peel=_peel, order=40)
