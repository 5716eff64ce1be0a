"""sacct: the names above its table; nothing is peeled, but they tell whose voice it is."""

import re

from apps.diagnosis.logs.dialects.dialect import Dialect, Peel
from apps.diagnosis.model import Stream

HEAD = re.compile(r"(?:[A-Za-z]\w{1,24}(?:\|#?| {1,40})){0,120}JobID(?:Raw)?(?:\||  )", re.ASCII)


def _peel(text: str) -> Peel | None:
    if HEAD.match(text) is None or "State" not in text:
        return None
    return Peel(rest=text, stream=Stream.SCHEDULER, is_last=True)


SACCT = Dialect(
    name="sacct",
    starts="ABCDEFGHIJKLMNOPQRSTUVW",
    peel=_peel,
    order=5,
)
