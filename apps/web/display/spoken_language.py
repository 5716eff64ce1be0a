"""Sentences of the diagnosis stand in English on every page: marked so, for eyes and readers."""

import unicodedata

from django.utils.html import format_html
from django.utils.translation import get_language

WIDE = frozenset("WF")


def as_said(text: str) -> str:
    """Return a text of the diagnosis, marked as English where the page is in another language."""
    is_said_here = get_language() in {None, "en"}
    if is_said_here or any(unicodedata.east_asian_width(each) in WIDE for each in text):
        return text
    return format_html('<span lang="en">{}</span>', text)
