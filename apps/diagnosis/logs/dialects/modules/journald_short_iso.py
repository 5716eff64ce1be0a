"""`journalctl -o short-iso`, and rsyslog with ISO times: `time host unit[pid]: text`."""

import re

from apps.diagnosis.logs.dialects.dialect import Dialect, Peel, is_level
from apps.diagnosis.logs.timestamps import ISO, iso
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    ISO + r" ([\w.-]{1,253}) ([\w./@:-]{1,128}?)(?:\[(\d{1,10})\])?: ",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    host, unit, pid = match.groups()[8:]
    if is_level(host, unit):
        return None
    is_kernel = unit == "kernel"
    return Peel(
        rest=text[match.end() :] if is_kernel else text[match.start(10) :],
        stamp=iso(match),
        host=host,
        pid=int(pid) if pid else None,
        stream=Stream.KERNEL if is_kernel else None,
    )


JOURNALD_SHORT_ISO = Dialect(
    name="journald_short_iso", starts="0123456789", peel=_peel, order=20, is_envelope=True
)
