"""`dmesg -x --time-format iso`: `kern  :warn  : 2026-11-09T03:12:44,567890+09:00 text`."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, iso
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"(?:[a-z0-9]{1,10} {0,8}:[a-z]{1,8} {0,6}: )" + ISO + " ",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :], stamp=iso(match), stream=Stream.KERNEL)


DMESG_ISO = Dialect(name="dmesg_iso", starts="kudmaslcnfp", peel=_peel, order=20)
