"""What is said to people: facts into sentences, in English and in the reader's language.

`kinds` is the registry of all that can be said; `speaker` puts one into words.
"""

from django.utils.translation import gettext

from apps.diagnosis.model import Statement
from apps.wording.kinds import KINDS
from apps.wording.names import sentence_case
from apps.wording.speaker import Speaker

# Words that were kept, and whoever a fact begins with, stay as they are written.
KEPT_WORDS, BEGINS_WITH_NAME = "text", "who"
ENGLISH = Speaker(translate=str, kinds=KINDS)
READERS = Speaker(translate=lambda words: gettext(words) if words else "", kinds=KINDS)


def said(told: Statement, /) -> str:
    """Return a fact in the language of whoever reads."""
    return READERS.said(told)


def in_english(told: Statement, /) -> str:
    """Return a fact in English, as files, terminals and machines read it."""
    return ENGLISH.said(told)


def headline(told: Statement, /) -> str:
    """Return a fact that stands by itself, in the reader's language."""
    return _by_itself(told, said(told))


def headline_in_english(told: Statement, /) -> str:
    """Return a fact that stands by itself, in English."""
    return _by_itself(told, in_english(told))


def _by_itself(told: Statement, words: str) -> str:
    is_as_written = told.kind == KEPT_WORDS or BEGINS_WITH_NAME in told.named
    return words if is_as_written else sentence_case(words)


__all__ = [
    "ENGLISH",
    "KINDS",
    "READERS",
    "Speaker",
    "headline",
    "headline_in_english",
    "in_english",
    "said",
]
