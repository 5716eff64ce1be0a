"""Take away what terminals and broken writers put between the characters of a line."""

import re

# Longer lines are cut before matching; no signature needs more.
LINE_LIMIT = 8192
CUT_MARK = " …[cut]"

# CSI sequences, OSC sequences (titles, links) and lone two-character escapes.
ESCAPES = re.compile(
    r"\x1b(?:\[[0-9;?]{0,40}[ -/]{0,4}[@-~]|\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\)|[@-Z\\-_])"
)


def without_escapes(*, text: str) -> str:
    """Return `text` without terminal sequences and NUL runs. Line ends stay where they are."""
    if "\x1b" in text:
        text = ESCAPES.sub("", text)
    if "\0" in text:
        text = text.replace("\0", "")
    return text


def segments(*, line: str) -> list[str]:
    """Return what a line shows one after the other: a progress bar redraws after each carriage
    return."""
    if "\r" not in line:
        return [line]
    return [part for part in line.split("\r") if part.strip()] or [""]


def cut(*, line: str) -> str:
    """Return `line`, shortened to the limit with the cut marked."""
    return line if len(line) <= LINE_LIMIT else line[: LINE_LIMIT - len(CUT_MARK)] + CUT_MARK
