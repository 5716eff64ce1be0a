"""stern: `llm-worker-3 main text` or `default llm-worker-3 main text`, kubetail's
`[llm-0 main] text` and compose's `worker-1  | text`. Names of pods are no names of hosts."""

import re

from apps.diagnosis.logs.dialect import Dialect, Peel

NAME = r"[a-z0-9][a-z0-9.-]{0,252}"
# What surely begins the line of a program: the names alone could be words.
BEGINS = (
    r"(?=[\w.-]{1,120}:\d{1,10}:\d{1,10} \[-?\d{1,4}\] |\[rank\d|\[default\d|\[[EWIFC]\d{3,4} |"
    r"[EWIFC]\d{3,4} \d\d:|\[?\d{4}-\d\d-\d\d[ T]|Traceback \(most| {1,4}File \"|NCCL version)"
)
PREFIX = re.compile(
    rf"(?:{NAME} )?[a-z][a-z0-9.-]{{0,200}}-[a-z0-9.-]{{1,50}} {NAME} {BEGINS}"
    rf"|\[[a-z0-9.-]{{1,200}}-[a-z0-9]{{1,50}} {NAME}\] "
    r"|[a-z][\w.-]{0,100}-\d{1,4} {1,20}\| ",
    re.ASCII,
)


def _peel(text: str) -> Peel | None:
    match = PREFIX.match(text)
    return None if match is None else Peel(rest=text[match.end() :])


STERN = Dialect(
    name="stern",
    starts="[abcdefghijklmnopqrstuvwxyz",
    peel=_peel,
    order=15,
    is_envelope=True,
)
