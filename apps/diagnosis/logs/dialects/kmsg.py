"""/dev/kmsg: `prio,seq,usec,flags;text`."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"\d{1,4},\d{1,12},(\d{1,16}),[^;\n]{1,40};",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(
        rest=text[match.end() :],
        uptime_seconds=int(match.group(1)) / 1e6,
        stream=Stream.KERNEL,
    )


KMSG = Dialect(name="kmsg", starts="0123456789", peel=_peel, order=10)
