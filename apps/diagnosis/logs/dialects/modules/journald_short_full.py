"""`journalctl -o short-full` and `-o short-unix`: `Mon 2026-11-09 03:12:44 KST host unit[pid]: …`,
`1794161564.123456 host kernel: …`.
"""

import re
from dataclasses import replace
from datetime import UTC, datetime

from apps.diagnosis.logs.dialects.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, Stamp, iso
from apps.diagnosis.model import Stream

BEHIND = r" (?P<host>[\w.-]{1,253}) (?P<unit>[\w./@:-]{1,128}?)(?:\[(?P<pid>\d{1,10})\])?: "
FULL = re.compile(r"[A-Z][a-z]{2} " + ISO + r" ([A-Z]{2,5}|[+-]\d\d(?:\d\d)?)" + BEHIND, re.ASCII)
UNIX = re.compile(r"(\d{10})\.(\d{6})" + BEHIND, re.ASCII)
# Names of zones that stand for one offset only; CST, IST and their like are left open.
OFFSETS = {"UTC": 0, "GMT": 0, "KST": 9 * 3600, "JST": 9 * 3600, "CET": 3600, "CEST": 7200}


def _peel(text: str) -> Peel | None:
    if match := FULL.match(text):
        stamp = replace(iso(match), offset_seconds=_offset(match[9]))
    elif match := UNIX.match(text):
        stamp = _since_epoch(seconds=int(match[1]), microsecond=int(match[2]))
    else:
        return None
    is_kernel = match["unit"] == "kernel"
    return Peel(
        rest=text[match.end() if is_kernel else match.start("unit") :],
        stamp=stamp,
        host=match["host"],
        pid=int(match["pid"]) if match["pid"] else None,
        stream=Stream.KERNEL if is_kernel else None,
    )


def _offset(zone: str) -> int | None:
    return int(zone[:3]) * 3600 if zone[0] in "+-" else OFFSETS.get(zone)


def _since_epoch(*, seconds: int, microsecond: int) -> Stamp:
    at = datetime.fromtimestamp(seconds, UTC)
    return Stamp(
        year=at.year,
        month=at.month,
        day=at.day,
        hour=at.hour,
        minute=at.minute,
        second=at.second,
        microsecond=microsecond,
        offset_seconds=0,
    )


JOURNALD_SHORT_FULL = Dialect(
    name="journald_short_full", starts="MTWFS0123456789", peel=_peel, order=20, is_envelope=True
)
