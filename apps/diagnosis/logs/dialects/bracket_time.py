"""Megatron and others: ` [2026-11-09 03:12:44] text`, local time."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.stamp import ISO, iso

PREFIX = re.compile(
    r" {0,2}\[" + ISO + r"\] ?",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :], stamp=iso(match))


BRACKET_TIME = Dialect(name="bracket_time", starts=" [", peel=_peel, order=60)
