"""slurmctld, slurmd, slurmstepd files: `[2026-11-09T03:12:44.567] text`, local time."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.stamp import ISO, iso
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"(?=\[\d{4}-\d\d-\d\dT)\[" + ISO + r"\] ?",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :], stamp=iso(match), stream=Stream.SCHEDULER)


SLURM = Dialect(name="slurm", starts="[", peel=_peel, order=40)
