"""Line ends that syslog daemons and printers of strings wrote as letters.

`#012` is rsyslog's for what a program sent as one message of several lines; `\\n` stands in quoted
strings. Python's first line of a traceback says that the latter are meant: paths hold them, too.
"""

import re
from collections.abc import Callable

OCTAL, QUOTED = "#012", "last):\\n"
TAB, QUOTED_TAB, QUOTE = "#011", "\\t", '\\"'
# Between the prefix of a message and one of its later lines.
BEHIND = "\x1e"
OPENER = "Traceback (most recent call last):"
UNESCAPED_QUOTE = re.compile(r'(?<!\\)"')
# A message of endless short lines must not become its prefix as often.
MOST_REPEATED = 1 << 20
TAG = re.compile(r"[\w./@-]{1,128}(?:\[\d{1,10}\])?: ", re.ASCII)


def may_be_escaped(*, text: str) -> bool:
    """Say whether a line holds line ends as letters."""
    return OCTAL in text or QUOTED in text


def resolved(*, text: str, prefix_length: Callable[..., int]) -> str:
    """Return the text redrawn line by line, each behind the prefix that the first has."""
    head, *others = _parts(text.replace(TAB, "\t"))
    length = prefix_length(text=head)
    tag = TAG.match(head, length)
    prefix = head[: tag.end() if tag and length else length]
    lines = [each for each in others if each.strip()]
    behind = f"{prefix}{BEHIND}" if prefix and len(prefix) * len(lines) <= MOST_REPEATED else ""
    return "\r".join([head, *(behind + each for each in lines)])


def _parts(text: str) -> list[str]:
    if OCTAL in text:
        return text.split(OCTAL)
    *inside, last = text.replace(OPENER, f"\\n{OPENER}").split("\\n")
    # What follows the closing quote is no longer said by the exception.
    parts = [*inside, *UNESCAPED_QUOTE.split(last, maxsplit=1)]
    return [each.replace(QUOTED_TAB, "\t").replace(QUOTE, '"') for each in parts]
