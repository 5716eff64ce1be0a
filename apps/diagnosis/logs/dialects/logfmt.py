"""containerd, dockerd and other services: `time="2026-11-09T03:12:44+09:00" level=info msg=…`."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, iso

PREFIX = re.compile(r"(?:time|ts|t)=\"?" + ISO + r"\"? (?=[a-z]{1,20}=)", re.ASCII)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :], stamp=iso(match))


LOGFMT = Dialect(name="logfmt", starts="t", peel=_peel, order=40)
