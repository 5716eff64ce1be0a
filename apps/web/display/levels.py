"""Levels of what parties show each other, in words."""

from django.utils.translation import gettext as _

from apps.incidents.projection.shared_values import SharedAs
from apps.sharing.terms import Level


def level_name(level: Level) -> str:
    """Return how much is shown, in a word or two."""
    names = {
        Level.NONE: _("not shown"),
        Level.SIGNAL: _("signal"),
        Level.REDACTED: _("redacted"),
        Level.FULL: _("in full"),
    }
    return names[level]


def shared_mark(shared: SharedAs) -> str:
    """Return who shows something, how much of it, and under what."""
    told = {"name": shared.holder.name, "level": level_name(shared.level)}
    if shared.request:
        return _("%(name)s (%(level)s, on request)") % told
    return _("%(name)s (%(level)s)") % told
