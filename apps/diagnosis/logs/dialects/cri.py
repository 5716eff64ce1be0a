"""containerd and cri-o: `<RFC 3339> stdout|stderr F|P text`."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, iso

PREFIX = re.compile(
    ISO + r" std(?:out|err) [FP](?: |$)",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :], stamp=iso(match))


CRI = Dialect(name="cri", starts="0123456789", peel=_peel, order=10, is_envelope=True)
