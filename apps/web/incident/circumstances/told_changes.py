"""What parties changed around an incident: on its lane of changes, and said plainly if just before.

That something came first never makes it the cause here: it is told beside the verdict.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.utils.translation import gettext as _

from apps.fleet.changes.change_values import ChangeView
from apps.incidents.projection.header_values import IncidentHeader
from apps.web import words
from apps.web.changes.change_words import kind_word, versions_text, what_text, where_text
from apps.web.lanes.elements import Entry

JUST_BEFORE: Final = timedelta(hours=1)


def change_entries(
    changes: Sequence[ChangeView], *, broke_at: datetime, now: datetime
) -> Iterator[Entry]:
    """Return changes as entries of the timeline; what began after it broke is drawn lesser."""
    for number, each in enumerate(changes):
        ends_at = min(each.ends_at, now) if each.ends_at else None
        yield Entry(
            key=f"changed-{number}",
            lane="changes",
            layer="quiet",
            role="context",
            title=each.title or kind_word(each.kind),
            detail=_detail(each),
            owner=each.teller.name,
            initial=each.teller.mark,
            at=each.starts_at,
            ends_at=ends_at if ends_at and ends_at > each.starts_at else None,
            host=each.hosts[0] if each.hosts and len(each.hosts) == 1 else "",
            is_lesser=each.starts_at > broke_at,
            stays_in_view=True,
        )


def _detail(each: ChangeView) -> str:
    kind = what_text(each) if each.title else versions_text(each)
    return ", ".join(filter(None, (kind, where_text(each), each.by, each.reference)))


def changed_before(
    changes: Sequence[ChangeView], *, header: IncidentHeader, hosts: Collection[str]
) -> tuple[str, ...]:
    """Return what was changed in the hour before it broke, a sentence each, the last first."""
    broke_at = header.incident.started_at
    if broke_at is None:
        return ()
    just = [each for each in changes if each.is_before(broke_at, within=JUST_BEFORE)]
    return tuple(_sentence(each, broke_at, hosts) for each in reversed(just))


def _to_the_minute(length: timedelta) -> str:
    """Return a length in words; seconds of a blurred time would claim what nobody told."""
    seconds = length.total_seconds()
    return words.duration(seconds if seconds < 60 else seconds // 60 * 60)


def _sentence(each: ChangeView, broke_at: datetime, hosts: Collection[str]) -> str:
    told = {
        "length": _to_the_minute(broke_at - each.starts_at),
        "what": what_text(each),
        "where": where_text(each, of=hosts),
        "who": each.teller.name,
    }
    if each.title:
        form = _("Changed %(length)s before it broke: %(what)s (%(title)s) %(where)s, by %(who)s.")
        return form % {**told, "title": each.title}
    return _("Changed %(length)s before it broke: %(what)s, %(where)s, by %(who)s.") % told
