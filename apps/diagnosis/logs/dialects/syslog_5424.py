"""syslog RFC 5424: `<pri>1 time host app pid msgid [data] text`."""

import re

from apps.diagnosis.input_values import whole_number
from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.logs.timestamps import ISO, iso
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"<\d{1,3}>1 "
    + ISO
    + r" (\S{1,255}) (\S{1,48}) (\S{1,128}) \S{1,32} (?:-|(?:\[[^\]]{0,2000}\]){1,8}) ?(?:\ufeff)?",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    host, app, pid = match.groups()[8:]
    return Peel(
        rest=text[match.end() :],
        stamp=iso(match),
        host=None if host == "-" else host,
        pid=whole_number(pid),
        stream=Stream.KERNEL if app == "kernel" else None,
    )


SYSLOG_5424 = Dialect(name="syslog_5424", starts="<", peel=_peel, order=10, is_envelope=True)
