"""PyTorch C++ before 2.3: `[E ProcessGroupNCCL.cpp:475] text`, without a time."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"\[[EWIFC] [\w./+-]{1,200}\.(?:cpp|cc|h|hpp|cu):\d{1,6}\] ?",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :], stream=Stream.SESSION)


C10D_OLD = Dialect(name="c10d_old", starts="[", peel=_peel, order=20)
