"""torchrun with `--role rank --tee 3`, as torchtitan starts it: `[rank0]:[rank8]: text`; the first
number is the local rank."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.model import Stream

# Before the program's own prefix or a time it is the launcher's label, not that of PyTorch.
PREFIX = re.compile(r"\[rank(\d{1,4})\]:(?=\[rank\d{1,7}\]:|\[titan\] |\d{4}-\d\d-\d\d )", re.ASCII)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :], local_rank=int(match[1]), stream=Stream.SESSION)


RANK_LABEL = Dialect(name="rank_label", starts="[", peel=_peel, order=5)
