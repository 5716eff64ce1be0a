"""Loki's `logcli query`: `2026-11-09T03:12:44Z {node="n7", pod="llm-0"} text`."""

import re

from apps.diagnosis.logs.dialects.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, iso

PREFIX = re.compile(
    ISO + r" (\{(?:[A-Za-z_]\w{0,80}=\"[^\"\n]{0,300}\"(?:, ?)?){0,40}\}) ", re.ASCII
)
# Where a label says on which host the line was printed; a pod's name is no host's.
HOST = re.compile(
    r"[{ ,](?:host|hostname|node|node_name|nodename|__host__)=\"([\w.-]{1,253})\"", re.ASCII
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    host = HOST.search(match.group(9))
    return Peel(rest=text[match.end() :], stamp=iso(match), host=host[1] if host else None)


LOGCLI = Dialect(name="logcli", starts="12", peel=_peel, order=10, is_envelope=True)
