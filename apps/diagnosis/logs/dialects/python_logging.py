"""Python logging with an ISO time first: `2026-11-09 03:12:44,123 - name - INFO - text` and its
variants."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, iso

PREFIX = re.compile(
    ISO + r"(?: (UTC))?(?:\s?[-|:]? ?"
    r"(?:\[?[A-Z]{4,8}\]?|[\w.]{1,80}(?: - | \| |:)\[?[A-Z]{4,8}\]?))?"
    r"(?: {0,4}[-|:]{1,2} ?| |\t|$)",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :], stamp=iso(match, zone="Z" if match.group(9) else None))


PYTHON_LOGGING = Dialect(name="python_logging", starts="0123456789", peel=_peel)
