"""Ray drivers: `(Actor[rank=9] pid=1234, ip=10.0.0.5) text`, without rank or name, `(raylet,
ip=10.0.0.5) text`."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"\((?:[\w.:-]{1,80}(?:[\[(]rank=(\d{1,7})[\])])? )?pid=(\d{1,10})"
    r"(?:, ip=([\w.:-]{1,64}))?\) ?"
    r"|\((?:raylet|gcs_server|autoscaler|dashboard)(?: [+\w]{1,16})?(?:, ip=([\w.:-]{1,64}))?\) ?",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    rank, pid, host, daemon_host = match.groups()
    return Peel(
        rest=text[match.end() :],
        rank=int(rank) if rank else None,
        pid=int(pid) if pid else None,
        host=host or daemon_host,
        stream=Stream.SESSION,
    )


RAY = Dialect(name="ray", starts="(", peel=_peel)
