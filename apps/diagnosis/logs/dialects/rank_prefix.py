"""PyTorch and launchers: `[rank7]:` before each line of a rank; the number is global."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"\[rank(\d{1,7})\]: ?",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :], rank=int(match.group(1)), stream=Stream.SESSION)


RANK_PREFIX = Dialect(name="rank_prefix", starts="[", peel=_peel, order=10)
