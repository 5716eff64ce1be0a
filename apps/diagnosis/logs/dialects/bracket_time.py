"""Megatron and others: ` [2026-11-09 03:12:44] text`, local time; some add zone, pid or level."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, iso

PREFIX = re.compile(
    r" {0,2}\[" + ISO + r"(?: (?:(UTC|GMT|Z)|([+-]\d\d:?\d\d)|[A-Z]{3,5}))?\]"
    r"(?: \[(?:[A-Z]{4,8}|\d{1,10})\]){0,2} ?(?:\[ft_launcher(\d{1,10})@([\w.-]{1,253})\] )?",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    utc, zone, pid, host = match.groups()[8:]
    return Peel(
        rest=text[match.end() :],
        stamp=iso(match, zone="Z" if utc else zone),
        host=host,
        pid=int(pid) if pid else None,
    )


BRACKET_TIME = Dialect(name="bracket_time", starts=" [", peel=_peel, order=60)
