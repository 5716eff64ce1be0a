"""torchft and other root loggers: `INFO:torchft.manager:text`."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel

PREFIX = re.compile(
    r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):[A-Za-z_][\w.]{0,120}:",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :])


TORCHFT = Dialect(name="torchft", starts="DIWEC", peel=_peel, order=40)
