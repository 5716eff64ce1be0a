"""Parts, names and times as a note writes them."""

from collections.abc import Iterable
from datetime import datetime

from apps.diagnosis.model import Device, Evidence, Moment
from apps.wording import Speaker
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
