"""torchtitan: `[titan] 2026-11-20 03:01:10,123 - root - INFO - text`."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, iso
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"\[titan\] " + ISO + r" - [\w.]{1,80} - [A-Z]{4,8} - ",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :], stamp=iso(match), stream=Stream.SESSION)


TORCHTITAN = Dialect(name="torchtitan", starts="[", peel=_peel, order=40)
