"""`dmesg -d` and `dmesg -H`: `[  +0.000844] text` behind a line `[Nov 9 03:12] text`. Neither says
the second, so neither gives a time.
"""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"\[(?: {0,8}\+ {0,4}\d{1,9}\.\d{1,9}|[A-Z][a-z]{2} {0,2}\d{1,2} \d\d:\d\d)\] ?", re.ASCII
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    return Peel(rest=text[match.end() :], stream=Stream.KERNEL) if match else None


DMESG_DELTA = Dialect(name="dmesg_delta", starts="[", peel=_peel, order=20)
