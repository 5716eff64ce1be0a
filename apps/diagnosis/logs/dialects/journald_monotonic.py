"""`journalctl -o short-monotonic`: `[ 1843.308145] host kernel: text`."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"\[ {0,8}(\d{1,10}\.\d{1,9})\] ([\w.-]{1,253}) (kernel|[\w./@-]{1,128}\[(\d{1,10})\]): ",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    uptime, host, unit, pid = match.groups()
    is_kernel = unit == "kernel"
    return Peel(
        rest=text[match.end() if is_kernel else match.start(3) :],
        uptime_seconds=float(uptime),
        host=host,
        pid=int(pid) if pid else None,
        stream=Stream.KERNEL if is_kernel else None,
    )


JOURNALD_MONOTONIC = Dialect(name="journald_monotonic", starts="[", peel=_peel, order=15)
