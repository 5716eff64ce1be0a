"""Open MPI's own words: `[n7:04021] *** Process received signal ***`; the pid has five digits or
more."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.model import Stream

PREFIX = re.compile(r"\[([A-Za-z][\w.-]{0,252}):(\d{5,10})\] ", re.ASCII)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :], host=match[1], pid=int(match[2]), stream=Stream.SESSION)


MPI_PROCESS = Dialect(name="mpi_process", starts="[", peel=_peel, order=40)
