"""What two parties of an incident ask each other to show, and what comes of it."""

from collections.abc import Mapping

from apps.diagnosis.model import Value
from apps.wording.names import LAYERS, STREAMS, inside
from apps.wording.speaker import Speaker, Wording, text
from apps.wording.translatable import gettext_noop

FAMILIES: Mapping[str, str] = {
    "metrics": gettext_noop("metrics of %(part)s"),
    "events": gettext_noop("events of %(part)s"),
    "logs": gettext_noop("lines of the %(part)s log"),
}


def data_class(value: Value, speaker: Speaker) -> str:
    """Return a class of data inside a sentence: metrics of GPU, lines of the kernel log."""
    family, _, part = str(value).partition(":")
    names = STREAMS if family == "logs" else LAYERS
    told = FAMILIES.get(family)
    if told is None or part not in names:
        return str(value)
    return speaker.translate(told) % {"part": inside(speaker.translate(names[part]))}


REQUESTS: Mapping[str, Wording] = {
    "evidence-asked": text(
        gettext_noop("%(who)s asked %(to)s for evidence: %(data)s"), data=data_class
    ),
    "evidence-granted": text(
        gettext_noop("%(who)s granted what %(to)s asked for: %(data)s"), data=data_class
    ),
    "evidence-narrowed": text(
        gettext_noop("%(who)s granted part of what %(to)s asked for: %(data)s"), data=data_class
    ),
    "evidence-stated": text(
        gettext_noop("%(who)s answered %(to)s by a signed statement: %(data)s"), data=data_class
    ),
    "evidence-declined": text(
        gettext_noop("%(who)s declined what %(to)s asked for: %(data)s"), data=data_class
    ),
    "evidence-revoked": text(
        gettext_noop("%(who)s ended what it had granted %(to)s: %(data)s"), data=data_class
    ),
    "evidence-taken-back": text(
        gettext_noop("%(who)s took back what it had asked %(to)s for: %(data)s"), data=data_class
    ),
}
