"""torchrun `--tee`: `[<role>3]:text`, where the number is the local rank."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.model import Stream

# Roles of other names stand close to their text; `[eth0]: text` is none.
PREFIX = re.compile(
    r"\[(?:(?:default|trainer|worker)(\d{1,4})\]: ?|[a-z][a-z_-]{1,30}(\d{1,3})\]:(?=\S))",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(
        rest=text[match.end() :], local_rank=int(match[1] or match[2]), stream=Stream.SESSION
    )


TEE = Dialect(name="tee", starts="[", peel=_peel, order=10)
