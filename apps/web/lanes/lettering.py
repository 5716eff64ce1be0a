"""How wide a text is when it is drawn, and what of it there is room for."""

import re
import textwrap
import unicodedata

CHARACTER = 6.1  # mean advance of 11 px Inter, measured on English sentences
BOLD_CHARACTER = 6.7
WIDE = frozenset("WF")
SHORTEST_LABEL = 8
LINE_HEIGHT = 13
FOLDERS = re.compile(r"(?<!\S)\S*/(?=[^\s/])")


def head_lines(text: str, *, room: int, y: float) -> tuple[tuple[float, str], ...]:
    """Return a text of a lane's head in at most two lines that end before the plot begins."""
    room = room * len(text) // max(letters(text), 1)
    lines = textwrap.wrap(text, max(room, 2), max_lines=2, placeholder="…")
    return tuple((y + LINE_HEIGHT * index, line) for index, line in enumerate(lines))


def without_folders(text: str) -> str:
    """Return a text with each file by its name alone."""
    return FOLDERS.sub("", text)


def cut(text: str, length: int) -> str:
    """Return the text, shortened with an ellipsis where it is longer than there is room."""
    if letters(text) <= length:
        return text
    if length < SHORTEST_LABEL:
        return ""
    kept = next(end for end in range(len(text), -1, -1) if letters(text[:end]) < length)
    return f"{text[:kept].rstrip()}…"


def letters(text: str) -> int:
    """Return how many Latin letters are as wide as the text: a Hangul syllable is two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(each) in WIDE else 1 for each in text)
