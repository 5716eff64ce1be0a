"""pdsh, clush and the DeepSpeed launcher: `worker-3: text`. Only in front of what surely begins a
line of a program: `eth0: link is down` names no host."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel
from apps.diagnosis.model import Stream

PREFIX = re.compile(
    r"(?P<host>\d{1,3}(?:\.\d{1,3}){3}|[A-Za-z][A-Za-z_.-]{0,120}\d[\w.-]{0,120}): "
    r"(?P<rest>[\w.-]{1,120}:\d{1,10}:\d{1,10} \[-?\d{1,4}\] |\[rank\d|\[default\d|"
    r"\[[EWIFC]\d{3,4} |[EWIFC]\d{3,4} \d\d:|\[[EWIFC] [\w./]|\[?\d{4}-\d\d-\d\d[ T]|"
    r"Traceback \(most| {0,6}File \"|\{'loss|[A-Z]\w{1,60}(?:Error|Exception): )",
    re.ASCII,
)
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    if match is None:
        return None
    return Peel(rest=text[match.start("rest") :], host=match["host"], stream=Stream.SESSION)


HOST_LABEL = Dialect(name="host_label", starts=f"{LETTERS}123456789", peel=_peel, order=35)
