"""What lies outside the window and matters all the same: told at its edge, with how far off."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from django.utils.translation import gettext as _

from apps.web import words
from apps.web.lanes.elements import Entry
from apps.web.lanes.scale import Span

WITHIN: Final = timedelta(days=31)
MOST: Final = 3  # on each side, the nearest


def at_the_edge(
    *, entries: Sequence[Entry], span: Span, failed_at: datetime | None
) -> list[tuple[datetime, Entry]]:
    """Return the nearest of them on each side, each with the instant at which it is drawn.

    How far off they are is counted from when it broke, where that is known.
    """
    kept = sorted(
        ((entry.at, entry) for entry in entries if entry.stays_in_view and entry.at),
        key=lambda pair: (pair[0], pair[1].key),
    )
    broke_at = failed_at or span.starts_at
    before = [
        (at, entry)
        for at, entry in kept
        if broke_at - WITHIN <= at and (entry.ends_at or at) < span.starts_at
    ]
    after = [(at, entry) for at, entry in kept if span.ends_at <= at <= broke_at + WITHIN]
    return [
        *((span.starts_at, _told(entry, at - broke_at)) for at, entry in before[-MOST:]),
        *((span.ends_at, _told(entry, at - broke_at)) for at, entry in after[:MOST]),
    ]


def _told(entry: Entry, off: timedelta) -> Entry:
    is_earlier = off < timedelta(0)
    form = _("%(length)s earlier: %(what)s") if is_earlier else _("%(length)s later: %(what)s")
    told = {"length": words.duration(abs(off).total_seconds()), "what": entry.title}
    return replace(entry, title=form % told, ends_at=None)
