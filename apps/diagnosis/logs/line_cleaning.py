"""Take away what terminals and broken writers put between the characters of a line."""

import re

# Longer lines are cut before matching; no signature needs more.
LINE_LIMIT = 8192
CUT_MARK = " …[cut]"

# A dead writer leaves blocks of them; so does a second writer that does not append.
LEAST_NULS = 16
WITH_NULS = re.compile(r"^[^\n\x00]*\x00[^\n]*", re.MULTILINE)

# CSI sequences, OSC sequences (titles, links) and lone two-character escapes.
ESCAPES = re.compile(
    r"\x1b(?:\[[0-9;?]{0,40}[ -/]{0,4}[@-~]|\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\)|[@-Z\\-_])"
)


def without_escapes(*, text: str) -> str:
    """Return `text` without terminal sequences and NUL runs. Line ends stay where they are."""
    if "\x1b" in text:
        text = ESCAPES.sub("", text)
    if "\0" in text:
        text = WITH_NULS.sub(_without_nuls, text)
    return text


def _without_nuls(match: re.Match[str]) -> str:
    """Say at the end of a line how much of it was lost, where that is no stray byte."""
    line = match[0]
    count = line.count("\0")
    kept = line.replace("\0", "")
    return kept if count < LEAST_NULS else f"{kept}\r<{count} NUL bytes>"


def segments(*, line: str) -> list[str]:
    """Return what a line shows one after the other: a progress bar redraws after each carriage
    return."""
    if "\r" not in line:
        return [line]
    return [part for part in line.split("\r") if part.strip()] or [""]


def cut(*, line: str) -> str:
    """Return `line`, shortened to the limit with the cut marked."""
    return line if len(line) <= LINE_LIMIT else line[: LINE_LIMIT - len(CUT_MARK)] + CUT_MARK
