"""Texts and patterns without the values of their digits: a line of which only the numbers changed
is known again.

A pattern that takes either all digits or none wherever it takes one stands in the same places of
two lines that differ in digits alone. Of any other pattern there is a wider one that does so.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from apps.diagnosis.patterns import Pattern, rare_pattern

DIGITS = b"0123456789"
FOLD = bytes.maketrans(DIGITS, b"0" * len(DIGITS))
# A pattern in parts: what opens a group, counts or escapes is copied, classes are looked into.
PART = re.compile(
    r"(?P<opener>\(\?P<\w{1,60}>|\(\?[a-zA-Z-]{0,8}[:)])|(?P<count>\{\d{1,4}(?:,\d{0,4})?\})"
    r"|(?P<edge>\\[bBAz]|\^)"
    r"|(?P<escape>\\(?:x\{[0-9a-fA-F]{1,6}\}|x[0-9a-fA-F]{2}|p\{\w{1,30}\}|.))"
    r"|(?P<set>\[\^?\]?(?:\\.|[^\[\]\\])*\])|(?P<digit>[0-9])|(?P<other>.)",
    re.DOTALL | re.ASCII,
)
# An escape that is one digit, or that may be one.
NUMBERED = re.compile(r"\\(?:\d|x3\d|x\{0*3\d\})")


def folded(data: bytes) -> bytes:
    """Return UTF-8 text, as long as before, with a zero for each digit."""
    return data.translate(FOLD)


@lru_cache(maxsize=4096)
def is_blind(*, source: str) -> bool:
    """Say whether a pattern can't tell one digit from another."""
    if "(?P=" in source:  # the same once more
        return False
    return "".join(_parts(source, keeps_edges=True)) == source


@lru_cache(maxsize=4096)
def widened(*, source: str, is_anywhere: bool) -> Pattern:
    """Return a blind pattern that stands in all lines that have the other, and in more.

    With `is_anywhere` also in those where it would stand if the line began later.
    """
    return rare_pattern("".join(_parts(source, keeps_edges=not is_anywhere)))


def _parts(source: str, *, keeps_edges: bool) -> Iterator[str]:
    for part in PART.finditer(source):
        text = part[0]
        if part["digit"] or (part["escape"] and NUMBERED.fullmatch(text)):
            yield r"\d"
        elif part["set"] and _is_partial(text):
            yield rf"(?:{text}|\d)"
        elif part["edge"] and not keeps_edges:
            yield "(?:)"
        else:
            yield text


def _is_partial(text: str) -> bool:
    """Say whether a class holds some digits and not others."""
    taken = Pattern(text)
    return len({taken.match(digit) is None for digit in DIGITS.decode()}) > 1
