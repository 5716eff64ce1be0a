"""Backend.AI, console: `2026-11-09 03:12:44.123 INFO ai.backend.agent [1234] text`, local time."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, iso
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    ISO + r" [A-Z]{4,8} ai\.backend\.[\w.]{1,150} \[\d{1,10}\] ",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :], stamp=iso(match), stream=Stream.SCHEDULER)


BACKEND_AI = Dialect(name="backend_ai", starts="0123456789", peel=_peel, order=20)
