"""Sessions of other parties, as rows for a party whose part in the cluster reads of none."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.incidents.projection.shared_values import SharedSession
from apps.web import words
from apps.web.display.instants import Instant, instant
from apps.web.display.levels import shared_mark
from apps.web.incident.query_params import PageReader


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSessionRow:
    """One session that was hit."""

    lead: str  # its name and state; of a signal how large it was
    size: str  # how many hosts and ranks; empty where the lead says it
    hosts: str
    starts_at: Instant | None
    ends_at: Instant | None
    source: str  # who shows it, and how much of it


def shared_session_rows(
    *, sessions: Sequence[SharedSession], reader: PageReader
) -> tuple[SharedSessionRow, ...]:
    """Return what others show of the sessions that an incident hit, as its page shows it."""
    return tuple(_row(each, reader) for each in sessions)


def _row(session: SharedSession, reader: PageReader) -> SharedSessionRow:
    size = _size(session)
    named = _("%(name)s, attempt %(n)s, %(state)s") % {
        "name": session.name,
        "n": session.attempt,
        "state": words.said(words.STATES, session.state, session.state),
    }
    claimed = _("%(hosts)s, as its tenant says") if session.are_hosts_claimed else "%(hosts)s"
    return SharedSessionRow(
        lead=named if session.name else size,
        size=size if session.name else "",
        hosts=claimed % {"hosts": words.hosts_text(session.hosts)} if session.hosts else "",
        starts_at=_instant(session.started_at, reader),
        ends_at=_instant(session.ended_at, reader),
        source=shared_mark(session.shared),
    )


def _size(session: SharedSession) -> str:
    hosts = ngettext("%(n)s host", "%(n)s hosts", session.host_count) % {"n": session.host_count}
    if session.rank_count is None:
        return hosts
    ranks = ngettext("%(n)s rank", "%(n)s ranks", session.rank_count) % {"n": session.rank_count}
    return _("%(ranks)s on %(hosts)s") % {"ranks": ranks, "hosts": hosts}


def _instant(at: datetime | None, reader: PageReader) -> Instant | None:
    return instant(at, zone=reader.zone, now=reader.now) if at else None
