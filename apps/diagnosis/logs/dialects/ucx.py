"""UCX: `[1794197564.123456] [n7:91 :0] file.c:177 UCX  ERROR text`; the time counts from the epoch,
not from the boot."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import epoch
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"\[(\d{10})\.(\d{1,9})\] \[([A-Za-z0-9][\w.-]{0,252}):(\d{1,10}) {0,4}:[\w:]{0,20}\] {1,8}"
    r"(?:[\w./-]{1,120}:\d{1,6} {1,4})?",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    seconds, fraction, host, pid = match.groups()
    return Peel(
        rest=text[match.end() :],
        stamp=epoch(seconds=int(seconds), fraction=fraction),
        host=host,
        pid=int(pid),
        stream=Stream.SESSION,
    )


UCX = Dialect(name="ucx", starts="[", peel=_peel, order=10)
