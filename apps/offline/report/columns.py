"""How many columns of a terminal a text takes, and where it is broken: some letters take two."""

import textwrap
import unicodedata

WIDE = frozenset({"W", "F"})


def columns(text: str) -> int:
    """Return how many columns a text takes."""
    return len(text) + sum(unicodedata.east_asian_width(letter) in WIDE for letter in text)


def wrapped(text: str, width: int) -> list[str]:
    """Return a text in lines of at most so many columns, one line for no text."""
    if columns(text) == len(text):
        return textwrap.wrap(text, width) or [""]
    lines = [""]
    for word in text.split(" "):
        rest = word
        if lines[-1] and columns(f"{lines[-1]} {rest}") > width:
            lines.append("")
        while columns(rest) > width:
            fitting = _fitting(rest, width)
            lines[-1:], rest = [rest[:fitting], ""], rest[fitting:]
        lines[-1] = f"{lines[-1]} {rest}" if lines[-1] else rest
    return lines


def _fitting(text: str, width: int) -> int:
    """Return how many letters fit, one at least."""
    return next((n for n in range(len(text), 1, -1) if columns(text[:n]) <= width), 1)
