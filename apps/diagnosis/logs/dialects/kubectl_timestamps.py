"""`kubectl logs --timestamps`: an RFC 3339 time with its zone in front of the line."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, iso

PREFIX = re.compile(
    r"(?=\S{20,35} )" + ISO + " ",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    if match.group(8) is None:  # without a zone it is the program's own time
        return None
    return Peel(rest=text[match.end() :], stamp=iso(match))


KUBECTL_TIMESTAMPS = Dialect(
    name="kubectl_timestamps", starts="0123456789", peel=_peel, order=30, is_envelope=True
)
