"""`dmesg --time-format iso`: `2026-11-09T03:12:44,567890+09:00 text`; the comma is dmesg's own."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, iso
from apps.diagnosis.model import Stream

PREFIX = re.compile(ISO + " ", re.ASCII)
COMMA = len("2026-11-09T03:12:44")


def _peel(text: str) -> Peel | None:
    if text[COMMA : COMMA + 1] != ",":
        return None
    match = PREFIX.match(text)
    if match is None or match[8] is None:
        return None
    return Peel(rest=text[match.end() :], stamp=iso(match), stream=Stream.KERNEL)


DMESG_ISO_BARE = Dialect(name="dmesg_iso_bare", starts="0123456789", peel=_peel, order=10)
