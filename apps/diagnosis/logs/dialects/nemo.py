"""NeMo: `[NeMo W 2026-11-09 03:12:44 nemo_logging:349] text`, local time."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, iso
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"\[NeMo [A-Z] " + ISO + r"(?: rank(\d{1,7}))? [\w.-]{1,120}:\d{1,6}\] ?", re.ASCII
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


NEMO = Dialect(name="nemo", starts="[", peel=_peel, order=30)
