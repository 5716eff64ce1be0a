"""torchrun `--tee`: `[default3]:text`, where the number is the local rank."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"\[(?:default|trainer|worker)(\d{1,4})\]: ?",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :], local_rank=int(match.group(1)), stream=Stream.SESSION)


TEE = Dialect(name="tee", starts="[", peel=_peel, order=10)
