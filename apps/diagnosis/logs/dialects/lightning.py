"""Lightning: `[rank: 3] text` or `rank: 3: text`, and programs that write `[rank=3] text`; the
number is global."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.model import Stream

PREFIX = re.compile(r"(?:\[rank(?:: |=)(\d{1,7})\]:?|rank: (\d{1,7}):) ", re.ASCII)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :], rank=int(match[1] or match[2]), stream=Stream.SESSION)


LIGHTNING = Dialect(name="lightning", starts="[r", peel=_peel, order=20)
