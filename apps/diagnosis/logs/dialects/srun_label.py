"""`srun --label`: `12: text`. A task is not always the global rank, but it is the best name of that
voice."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel

PREFIX = re.compile(
    r" {0,6}(\d{1,6}):(?: |$)",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :], rank=int(match.group(1)))


SRUN_LABEL = Dialect(name="srun_label", starts=" 0123456789", peel=_peel, order=60)
