"""Which signatures bear a mark, or are a part of a record: code asks for what a line means, not for
its name."""

from collections.abc import Mapping
from functools import lru_cache

from apps.diagnosis.model import Mark, RecordPart
from apps.diagnosis.patterns import Pattern, PatternMatch
from apps.diagnosis.signatures.load import BadSignature, Signature, load_catalog

Word = Mark | RecordPart


def marked(*words: Word) -> frozenset[str]:
    """Return the signatures that bear one of these marks, or are one of these parts."""
    return frozenset(key for word in words for key in _bearers().get(word, ()))


def sole(word: Word) -> Signature:
    """Return the one signature of a mark or part under which code tells an event of its own."""
    keys = _bearers().get(word, ())
    if len(keys) != 1:
        told = ", ".join(keys) or "none"
        raise BadSignature(f"{word.value} is borne by one signature, not by {told}")
    return load_catalog()[keys[0]]


def first_words_of_failure(*, text: str) -> PatternMatch | None:
    """Return where words of failure stand first in a text, whoever prints it."""
    found = [match for pattern in _of_failure() if (match := pattern.search(text))]
    return min(found, key=lambda match: match.start(), default=None)


@lru_cache(maxsize=1)
def _of_failure() -> tuple[Pattern, ...]:
    keys = sorted(marked(Mark.UNKNOWN_FAILURE) - marked(Mark.OF_PART))
    return tuple(load_catalog()[key].pattern for key in keys)


@lru_cache(maxsize=1)
def _bearers() -> Mapping[Word, tuple[str, ...]]:
    found: dict[Word, tuple[str, ...]] = {}
    for key, one in load_catalog().items():
        for word in one.marks | one.parts:
            found[word] = (*found.get(word, ()), key)
    return found
