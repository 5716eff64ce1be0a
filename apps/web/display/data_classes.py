"""Classes of data that parties show each other, in words."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from apps.sharing.terms import ANY, FAMILIES, SESSIONS
from apps.web import words


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
        whole = {
            "metrics": _("All metrics"),
            "events": _("All events"),
            "logs": _("All cited lines"),
            "warnings": _("All warnings"),
            "changes": _("All changes"),
        }
        return whole[family]
    if family == SESSIONS:
        return _("Facts of sessions")
    if family == "logs":
        return _("Cited lines: %(stream)s") % {"stream": words.said(words.STREAMS, part, part)}
    of_layer = {
        "metrics": _("Metrics: %(layer)s"),
        "events": _("Events: %(layer)s"),
        "warnings": _("Warnings: %(layer)s"),
        "changes": _("Changes: %(layer)s"),
    }
    return of_layer[family] % {"layer": words.layer(part)}


def _classes(family: str, parts: Sequence[str]) -> list[str]:
    return [f"{family}:{ANY}", *(f"{family}:{part}" for part in parts)]
