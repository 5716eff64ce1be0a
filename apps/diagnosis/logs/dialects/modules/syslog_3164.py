"""syslog RFC 3164 and `journalctl -o short`: `Mon  d hh:mm:ss host tag[pid]: text`. No year, no
zone."""

import re

from apps.diagnosis.logs.dialects.dialect import Dialect, Peel, is_level
from apps.diagnosis.logs.timestamps import MONTHS, Stamp, microseconds
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"(?:<\d{1,3}>)?([A-Z][a-z]{2}) ([ \d]\d|\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))? "
    r"([\w.:-]{1,253}) ([\w./@-]{1,128}?)(?:\[(\d{1,10})\])?: ",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    month, day, hour, minute, second, fraction, host, tag, pid = match.groups()
    if month not in MONTHS:
        return None
    stamp = Stamp(
        month=MONTHS[month],
        day=int(day),
        hour=int(hour),
        minute=int(minute),
        second=int(second),
        microsecond=microseconds(fraction),
    )
    if is_level(host, tag):
        return Peel(rest=text[match.start(7) :], stamp=stamp)
    is_kernel = tag == "kernel"
    return Peel(
        rest=text[match.end() :] if is_kernel else text[match.start(8) :],
        stamp=stamp,
        host=host,
        pid=int(pid) if pid else None,
        stream=Stream.KERNEL if is_kernel else None,
    )


SYSLOG_3164 = Dialect(
    name="syslog_3164", starts="<ADFJMNOS", peel=_peel, order=20, is_envelope=True
)
