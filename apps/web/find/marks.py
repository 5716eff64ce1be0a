"""A text in pieces: where it holds what was looked for."""

from collections.abc import Iterator, Sequence
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
    lowered = _lowered(text)
    whole = _lowered(needle)
    words = [whole] if whole in lowered else whole.split()
    return tuple(each for each in _pieces(text, lowered, words) if each.text)


def _pieces(text: str, lowered: str, words: Sequence[str]) -> Iterator[TextPiece]:
    at = 0
    while found := [(place, word) for word in words if (place := lowered.find(word, at)) >= 0]:
        place, word = min(found, key=lambda each: (each[0], -len(each[1])))
        yield TextPiece(text=text[at:place], is_marked=False)
        at = place + len(word)
        yield TextPiece(text=text[place:at], is_marked=True)
    yield TextPiece(text=text[at:], is_marked=False)


def _lowered(text: str) -> str:
    """Return a text in small letters, as long as it was: a few signs have none of their own."""
    return "".join(low if len(low := each.lower()) == 1 else each for each in text)
