"""The story of an incident as one list in HTML: a line of it has too many parts for a template.

Whatever a stranger wrote passes through `escape` here, as a template would do it.
"""

from collections.abc import Iterable
from html import escape

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from apps.web.display.spoken_language import as_said
from apps.web.incident.timeline.story import StoryEntry


def story_markup(story: Iterable[StoryEntry]) -> SafeString:
    """Return the lines of a story, each an element of a list."""
    hint = _("printed without a time, stands after its neighbour")
    none = f'<span class="when when-none" title="{escape(hint)}">{escape(_("no time"))}</span>'
    return SafeString("".join(_gap(each) if each.is_gap else _line(each, none) for each in story))


def _gap(entry: StoryEntry) -> str:
    return (
        f'<li class="layer-{escape(entry.layer)} is-gap">'
        f"<span></span><span></span><span>{escape(entry.title)}</span></li>\n"
    )


def _line(entry: StoryEntry, none: str) -> str:
    kind = f"layer-{escape(entry.layer)}{' is-chief' if entry.is_chief else ''}"
    return (
        f'<li class="{kind}" tabindex="-1" data-entry>'
        f"{none if entry.is_untimed else _time(entry)}"
        f'<span class="spot">{_spot(entry)}</span>'
        f'<div>{_words(entry)}</div><span class="caption">{escape(entry.owner)}</span></li>\n'
    )


def _time(entry: StoryEntry) -> str:
    return f'<time datetime="{entry.iso}" title="{escape(entry.local)}">{entry.time}</time>'


def _spot(entry: StoryEntry) -> str:
    if entry.is_hidden:
        return '<span class="stub"></span>'
    use = f'<use href="#g-{escape(entry.layer)}" width="12" height="12"/>'
    if entry.is_chief:
        return f'<span class="halo"><svg class="glyph" aria-hidden="true">{use}</svg></span>'
    return f'<svg class="glyph glyph-{entry.treatment}" aria-hidden="true">{use}</svg>'


def _words(entry: StoryEntry) -> str:
    if entry.address:
        title = f'<a href="{escape(entry.address)}">{escape(entry.title)}</a>'
    else:
        title = f"<b>{_said(entry.title)}</b>"
    detail = f"<small>{_said(entry.detail)}</small>" if entry.detail else ""
    return f"{title}{detail}{_because(entry)}{_members(entry)}"


def _because(entry: StoryEntry) -> str:
    """Return which rule explains it by the deciding entry."""
    if not entry.because:
        return ""
    told = _("explained by the deciding entry: %(rule)s") % {"rule": entry.because}
    return f"<small>{escape(told)}</small>"


def _members(entry: StoryEntry) -> str:
    """Return what it stands for, folded."""
    if not entry.members:
        return ""
    lines = "".join(f"<small>{escape(line)}</small>" for line in entry.members)
    asked = escape(_("Show each one"))
    return f'<details class="burst-list"><summary>{asked}</summary>{lines}</details>'


def _said(text: str) -> str:
    shown = as_said(text)
    return shown if isinstance(shown, SafeString) else escape(shown)
