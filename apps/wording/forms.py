"""How values are written: kinds of sources, causes."""

from apps.diagnosis.model import Value
from apps.wording.causes import cause as known_cause
from apps.wording.names import SOURCES, in_words, inside
from apps.wording.speaker import Speaker


def source(value: Value, speaker: Speaker) -> str:
    """Return a kind of source inside a sentence: kernel logs."""
    slug = str(value)
    return inside(speaker.translate(SOURCES.get(slug, in_words(slug))))


def cause(value: Value, speaker: Speaker) -> str:
    """Return what a cause is called in lists."""
    return speaker.translate(known_cause(str(value)).name)
