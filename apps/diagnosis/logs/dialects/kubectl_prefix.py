"""`kubectl logs --prefix`: `[pod/name/container] text`."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel

PREFIX = re.compile(
    r"\[pod/[\w.-]{1,253}/[\w.-]{1,253}\] ?",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.end() :])


KUBECTL_PREFIX = Dialect(name="kubectl_prefix", starts="[", peel=_peel, order=10, is_envelope=True)
