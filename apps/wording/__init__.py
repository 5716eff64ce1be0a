"""What is said to people: facts into sentences, in English and in the reader's language.

`kinds` is the registry of all that can be said; `speaker` puts one into words.
"""

from django.utils.translation import gettext

from apps.diagnosis.model import Statement
from apps.wording.kinds import KINDS
from apps.wording.speaker import Speaker

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
    return READERS.headline(told)


def headline_in_english(told: Statement, /) -> str:
    """Return a fact that stands by itself, in English."""
    return ENGLISH.headline(told)


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
