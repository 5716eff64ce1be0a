"""dmesg and serial consoles: `[ 1234.567890] text`, pstore with `<6>` in front; `[T123]` caller
marks."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"(?:<\d{1,3}>)?\[ {0,8}(\d{1,10}\.\d{1,9})\](?:\[ {0,6}[TC]\d{1,9}\])? ?",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(
        rest=text[match.end() :], uptime_seconds=float(match.group(1)), stream=Stream.KERNEL
    )


DMESG_UPTIME = Dialect(name="dmesg_uptime", starts="[<", peel=_peel, order=20)
