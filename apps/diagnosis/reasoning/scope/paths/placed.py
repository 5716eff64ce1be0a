"""A reading under the host that its path names, and what in paths is no host."""

import re
from dataclasses import replace

from apps.diagnosis.model import Reading

# Folders of one run that are no hosts: ranks, attempts, days, kinds of logs.
NOT_HOSTS = re.compile(
    r"(?:rank|local_?rank|attempt|restart|try|run|job|step|task|proc|worker)?[_-]?\d{0,12}"
    r"|\d{4}-\d{2}-\d{2}.{0,20}|logs?|stdout|stderr|sessions?|kernel|scheduler|storage|fabric"
    r"|bmc|metrics|flight-recorder|dumps?",
    re.ASCII | re.IGNORECASE,
)


def placed(reading: Reading, host: str) -> Reading:
    """Return a reading under a host, as it is where it has one or none is given."""
    if not host or reading.origin.host is not None:
        return reading
    origin = replace(reading.origin, host=host)
    return replace(
        reading,
        origin=origin,
        events=tuple(replace(e, line=replace(e.line, origin=origin)) for e in reading.events),
        progress=tuple(replace(e, line=replace(e.line, origin=origin)) for e in reading.progress),
    )
