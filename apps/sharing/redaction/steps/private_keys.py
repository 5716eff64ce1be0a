"""Private keys, whole or cut off: hidden line by line, so that as many lines stay."""

import re
from typing import Final

from apps.sharing.redaction.draft import SEAM, Groups
from apps.sharing.redaction.hiding import Hiding
from apps.sharing.redaction.step_patterns import StepPattern

BEGINS, ENDS = b"-----BEGIN ", b"-----END "
HEADER: Final = StepPattern(r"-----BEGIN [A-Z0-9 ]{0,60}-----")
FOOTER: Final = re.compile(rb"-----END [A-Z0-9 ]{0,60}-----")
SEAMS: Final = SEAM.encode()  # behind the line ends of keys in JSON
BODY: Final = re.compile(rb"(?:[\w+/=\s:,.\\-]|" + SEAMS + rb")*")
# What follows the first line of a key that has no last one.
REST: Final = re.compile(rb"(?:(?:\s|\\[nr](?:" + SEAMS + rb")?)*[A-Za-z0-9+/=]{20,})*")
LONGEST: Final = 16 << 10
TAIL: Final = StepPattern(
    r"(?m)(?:^[A-Za-z0-9+/=]{24,}\s+)+(?:[A-Za-z0-9+/=]*\s+)?"
    r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----"
)
LINE: Final = StepPattern(r"(?m)(^|[ \t|])([A-Za-z0-9+/]{60,}={0,2})[ \t]*$")
DIGEST: Final = re.compile(rb"[0-9a-fA-F]+")


def hide_private_keys(hiding: Hiding) -> None:
    """Hide keys, the ends of keys, and lines that can be nothing else."""
    if BEGINS in hiding.draft.data:
        _hide_begun(hiding)
    if ENDS in hiding.draft.data:
        hiding.draft.replace(TAIL, lambda found: _line_by_line(hiding, found[0]))
    hiding.draft.replace(LINE, lambda found: _line(hiding, found))


def _hide_begun(hiding: Hiding) -> None:
    """Hide keys from their first line to their last; one that is cut off, as far as it goes."""
    data, last = hiding.draft.data, 0
    parts: list[bytes] = []
    for (start, header_end), *_ in HEADER.find_all(data):
        if start >= last:
            end = _end(data, header_end)
            parts += (data[last:start], _line_by_line(hiding, data[start:end]))
            last = end
    hiding.draft.data = b"".join((*parts, data[last:]))


def _end(data: bytes, start: int) -> int:
    """Return where a key ends whose first line ends at `start`."""
    end = data.find(ENDS, start, start + LONGEST)
    footer = FOOTER.match(data, end) if end >= 0 else None
    is_one = footer and data.find(BEGINS, start, end) < 0 and BODY.fullmatch(data, start, end)
    if footer and is_one:
        return footer.end()
    rest = REST.match(data, start)
    return rest.end() if rest else start


def _line(hiding: Hiding, found: Groups) -> bytes | None:
    return None if DIGEST.fullmatch(found[2]) else found[1] + hiding.secret()


def _line_by_line(hiding: Hiding, text: bytes) -> bytes:
    lines = text.split(b"\n")
    return b"\n".join(hiding.secret() if line.strip() else line for line in lines)
