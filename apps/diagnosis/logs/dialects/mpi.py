"""Open MPI, `--tag-output`: `[1,3]<stderr>:text` or `[prterun-n7-88@1,3]<stdout>: text`; the second
number is the rank of the world."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"\[(?:[\w.-]{1,253}@)?\d{1,9},(\d{1,7})\](?:<(?:stdout|stderr|stddiag)>:?|:) ?", re.ASCII
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :], rank=int(match[1]), stream=Stream.SESSION)


MPI = Dialect(name="mpi", starts="[", peel=_peel, order=10)
