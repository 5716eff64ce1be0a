"""slurmctld, slurmd, slurmstepd files: `[2026-11-09T03:12:44.567] text`, local time."""

import re

from apps.diagnosis.logs.dialects.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, iso
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"(?=\[\d{4}-\d\d-\d\dT)\[" + ISO + r"\] ?",
    re.ASCII,
)
# A step reads like the seconds of an uptime.
STEP = re.compile(r"\[\d{1,10}\.(?:\d{1,9}|batch|extern|interactive)\] ", re.ASCII)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    rest = text[match.end() :]
    return Peel(
        rest=rest,
        stamp=iso(match),
        stream=Stream.SCHEDULER,
        is_last=STEP.match(rest) is not None,
    )


SLURM = Dialect(name="slurm", starts="[", peel=_peel, order=40)
