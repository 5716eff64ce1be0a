"""Parts, names and times as a note writes them."""

from collections.abc import Iterable
from datetime import datetime

from apps.diagnosis.model import Device, Evidence, Layer, Moment
from apps.wording import ENGLISH, Speaker, forms
from apps.wording.devices import addressed
from apps.wording.restart import more
from apps.wording.translatable import gettext_noop

MOST_NAMES = 6
# Who holds a source, and who acts.
OWNERS = {
    "operator": gettext_noop("operator"),
    "tenant": gettext_noop("tenant"),
    "platform": gettext_noop("platform"),
    "gpu_vendor": gettext_noop("gpu vendor"),
    "network_vendor": gettext_noop("network vendor"),
    "storage_vendor": gettext_noop("storage vendor"),
}


def device(one: Device, *, speaker: Speaker) -> str:
    """Name a part as pages do, with the address by which it is found."""
    return addressed(one, speaker)


def owner(slug: str, *, speaker: Speaker) -> str:
    """Return which kind of party it is."""
    return speaker.translate(OWNERS.get(slug, slug.replace("_", " ")))


def cause(slug: str, *, speaker: Speaker) -> str:
    """Return a cause by the name that `--explain` takes; to who reads no English, in words, too."""
    named = forms.cause(slug, speaker)
    return slug if _is_english(speaker) else f"{named} ({slug})"


def layer(one: Layer, *, speaker: Speaker) -> str:
    """Return a layer."""
    return one.value if _is_english(speaker) else forms.layer(one.value, speaker)


def source(slug: str, *, speaker: Speaker) -> str:
    """Return a kind of source."""
    return slug if _is_english(speaker) else forms.source(slug, speaker)


def _is_english(speaker: Speaker) -> bool:
    # These words are English themselves, and what commands and the JSON take and give.
    return speaker.language == ENGLISH.language


def told(one: Evidence | Moment, *, speaker: Speaker) -> str:
    """Return what a piece of evidence or a moment tells."""
    return speaker.headline(one.statement)


def place_text(source: str | None, line: int | None) -> str:
    """Return file and line."""
    if not source:
        return ""
    return f"{source}:{line}" if line else source


def some(names: Iterable[str], *, speaker: Speaker) -> str:
    """Join names, the first few of many."""
    known = list(names)
    shown = ", ".join(known[:MOST_NAMES])
    left = len(known) - MOST_NAMES
    return more(shown, speaker, count=left) if left > 0 else shown


def listed(names: Iterable[str], *, speaker: Speaker) -> str:
    """Join names, each once, the first few of many."""
    return some(tuple(dict.fromkeys(names)), speaker=speaker)


def dated(at: datetime) -> str:
    """Return a time with its day."""
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"
