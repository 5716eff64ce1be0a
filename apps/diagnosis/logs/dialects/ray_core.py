"""Ray's own files: `[2026-11-09 03:12:44,123 E 812 845] (raylet) node_manager.cc:12: text`, local
time."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, iso
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"\[" + ISO + r" [A-Z] (\d{1,10}) \d{1,10}\] (?:\(\w{1,40}\) )?(?:[\w./-]{1,160}:\d{1,6}: )?",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(
        rest=text[match.end() :], stamp=iso(match), pid=int(match.group(9)), stream=Stream.SESSION
    )


RAY_CORE = Dialect(name="ray_core", starts="[", peel=_peel, order=40)
