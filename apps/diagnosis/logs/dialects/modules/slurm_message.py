"""Slurm's own lines in a job's output: `slurmstepd: error: *** JOB 1 ON n1 CANCELLED AT <local
time> …`."""

import re

from apps.diagnosis.logs.dialects.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, iso
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"(?:slurmstepd|srun|salloc|sbatch)(?:-[\w.-]{1,120})?: (?:error|warning|fatal|info)?", re.ASCII
)
CANCELLED = re.compile(
    r"(?:CANCELLED|TERMINATED ON \S{1,253}) AT " + ISO.join(("(?:", ")")), re.ASCII
)


def _peel(text: str) -> Peel | None:
    if PREFIX.match(text) is None:
        return None
    cancelled = CANCELLED.search(text)
    return Peel(rest=text, stamp=iso(cancelled) if cancelled else None, stream=Stream.SESSION)


SLURM_MESSAGE = Dialect(name="slurm_message", starts="s", peel=_peel, order=20)
