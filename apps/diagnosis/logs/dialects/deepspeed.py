"""DeepSpeed: `[2026-11-09 03:12:44,123] [INFO] [logging.py:107:log_dist] [Rank 0] text`."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, iso
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"\["
    + ISO
    + r"\] \[[A-Z]{4,8}\] \[[\w.-]{1,120}:\d{1,6}:\w{1,80}\] (?=(?:\[Rank (\d{1,7})\])?)",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    rank = match.group(9)
    return Peel(
        rest=text[match.end() :],
        stamp=iso(match),
        rank=int(rank) if rank else None,
        stream=Stream.SESSION,
    )


DEEPSPEED = Dialect(name="deepspeed", starts="[", peel=_peel, order=40)
