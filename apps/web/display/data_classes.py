"""Classes of data that parties show each other, in words."""

from collections.abc import Mapping, Sequence
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from apps.sharing.terms import ANY, FAMILIES, SESSIONS
from apps.web import words

WHOLE: Final[Mapping[str, str]] = {
    "metrics": gettext_noop("All metrics"),
    "events": gettext_noop("All events"),
    "logs": gettext_noop("All cited lines"),
    "warnings": gettext_noop("All warnings"),
    "changes": gettext_noop("All changes"),
}
OF_LAYER: Final[Mapping[str, str]] = {
    "metrics": gettext_noop("Metrics: %(layer)s"),
    "events": gettext_noop("Events: %(layer)s"),
    "warnings": gettext_noop("Warnings: %(layer)s"),
    "changes": gettext_noop("Changes: %(layer)s"),
}


def class_names() -> dict[str, str]:
    """Return class of data → its name, in the order in which one chooses."""
    return {
        data: data_name(data)
        for family, parts in FAMILIES.items()
        for data in _classes(family, sorted(parts))
    } | {SESSIONS: data_name(SESSIONS)}


def data_name(data: str) -> str:
    """Return what a class of data is called: GPU metrics, all events, kernel log lines."""
    family, _split, part = data.partition(":")
    if part == ANY:
        return _(WHOLE[family])
    if family == SESSIONS:
        return _("Facts of sessions")
    if family == "logs":
        return _("Cited lines: %(stream)s") % {"stream": words.said(words.STREAMS, part, part)}
    return _(OF_LAYER[family]) % {"layer": words.layer(part)}


def _classes(family: str, parts: Sequence[str]) -> list[str]:
    return [f"{family}:{ANY}", *(f"{family}:{part}" for part in parts)]
