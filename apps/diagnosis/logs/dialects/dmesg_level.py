"""`dmesg -x`: `kern  :warn  : ` in front of a bracketed time, which other dialects read."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"(?:kern|user|mail|daemon|auth|syslog|lpr|news|uucp|cron|authpriv|ftp|local\d) {0,8}:"
    r"(?:emerg|alert|crit|err|warn|notice|info|debug) {0,6}: \[",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    return Peel(rest=text[match.end() - 1 :], stream=Stream.KERNEL) if match else None


DMESG_LEVEL = Dialect(name="dmesg_level", starts="kumdaslncf", peel=_peel, order=20)
