"""How values are written: kinds of sources, layers, causes, probabilities."""

from apps.diagnosis.model import Value
from apps.diagnosis.odds import odds_text
from apps.wording.causes import cause as known_cause
from apps.wording.names import LAYERS, SOURCES, in_words, inside
from apps.wording.speaker import Speaker


def source(value: Value, speaker: Speaker) -> str:
    """Return a kind of source inside a sentence: kernel logs."""
    slug = str(value)
    return inside(speaker.translate(SOURCES.get(slug, in_words(slug))))


def cause(value: Value, speaker: Speaker) -> str:
    """Return what a cause is called in lists."""
    return speaker.translate(known_cause(str(value)).name)


def cause_inside(value: Value, speaker: Speaker) -> str:
    """Return the same inside a sentence."""
    return inside(cause(value, speaker))


def layer(value: Value, speaker: Speaker) -> str:
    """Return a layer."""
    return speaker.translate(LAYERS.get(str(value), LAYERS["unknown"]))


def thousands(value: Value, speaker: Speaker) -> str:
    """Return a whole number in groups of three digits."""
    return f"{value:,}" if isinstance(value, int) else speaker.value(value)


def odds(value: Value, speaker: Speaker) -> str:
    """Return a probability; one that an older version wrote down stands as it is."""
    return odds_text(value) if isinstance(value, float | int) else str(value)
