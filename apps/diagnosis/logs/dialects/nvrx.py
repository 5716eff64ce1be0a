"""NVIDIA resiliency launcher: `time [INFO] [host] [workload:3(3) infra:0(3)] file.py:120 text`."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, iso
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    ISO + r" \[[A-Z]{4,8}\] \[([\w.-]{1,253})\] \[workload:(\d{1,7}|\?)\((\d{1,4}|\?)\) "
    r"infra:(?:\d{1,7}|\?)\((?:\d{1,4}|\?)\)\] "
    r"[\w.-]{1,120}:\d{1,6} ?",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    host, rank, local_rank = match.groups()[8:]
    return Peel(
        rest=text[match.end() :],
        stamp=iso(match),
        host=host,
        rank=int(rank) if rank != "?" else None,
        local_rank=int(local_rank) if local_rank != "?" else None,
        stream=Stream.SESSION,
    )


NVRX = Dialect(name="nvrx", starts="0123456789", peel=_peel, order=20)
