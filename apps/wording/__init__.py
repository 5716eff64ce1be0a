"""What is said to people: facts into sentences, in English and in the reader's language.

`kinds` is the registry of all that can be said; `speaker` puts one into words.
"""

from functools import cache

from django.utils.translation import gettext

from apps.diagnosis.model import Statement
from apps.wording.kinds import KINDS
from apps.wording.speaker import Speaker

ENGLISH = Speaker(translate=str, kinds=KINDS)


def _translated(words: str) -> str:
    return gettext(words) if words else ""


READERS = Speaker(translate=_translated, kinds=KINDS)


def page_speaker() -> Speaker:
    """Return a speaker of the reader's language for one page: it looks each text up once."""
    return Speaker(translate=cache(_translated), kinds=KINDS)


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
    "page_speaker",
    "said",
]
