"""A text in pieces: where it holds what was looked for."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPiece:
    """A piece of a text; a marked one is what was looked for."""

    text: str
    is_marked: bool


def marked(*, text: str, needle: str) -> tuple[TextPiece, ...]:
    """Return a text in pieces, each place that holds the needle marked, whatever its case; where
    the whole is nowhere, each of its words.
    """
    if not needle.strip():
        return (TextPiece(text=text, is_marked=False),) if text else ()
    words = [needle] if needle.casefold() in text.casefold() else needle.split()
    pattern = "|".join(re.escape(word) for word in words)
    parts = re.split(f"({pattern})", text, flags=re.IGNORECASE)
    return tuple(
        TextPiece(text=part, is_marked=number % 2 == 1) for number, part in enumerate(parts) if part
    )
