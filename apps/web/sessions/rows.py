"""Sessions as lines of a list."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.fleet.values import AttemptView, SessionView
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.words import listed_name, summary_of
from apps.web.display.attempt_state import state_slug, state_word
from apps.web.display.instants import day_text
from apps.web.display.layers import layer_mark
from apps.web.sessions.page import SessionRow


def session_row(
    *,
    session: SessionView,
    attempts: Sequence[AttemptView],
    headers: Mapping[int, IncidentHeader],
    now: datetime,
) -> SessionRow:
    """Return a session as one line, with how its last attempt ended."""
    last = attempts[-1] if attempts else None
    header = headers.get(session.id)
    started = last.started_at if last else None
    heard = day_text(session.created_at, now=now)
    return SessionRow(
        public_id=session.public_id,
        name=listed_name(session),
        cluster=session.cluster.name if session.cluster else _("ad hoc, yours alone"),
        state=state_slug(last, now=now) if last else "unknown",
        state_word=state_word(last, now=now) if last else _("no attempt reported"),
        size=size_text(last),
        is_sized=is_sized(last),
        when=_("started %(at)s") % {"at": day_text(started, now=now)}
        if started
        else _("first heard of %(at)s") % {"at": heard},
        incident=header.incident.public_id if header else "",
        incident_title=summary_of(header) if header else "",
        layer=layer_mark(header.incident.layer) if header else None,
    )


def is_sized(attempt: AttemptView | None) -> bool:
    """Say whether the size of an attempt can be told in numbers."""
    return bool(attempt and not attempt.is_cut and (attempt.world_size or attempt.hosts))


def size_text(attempt: AttemptView | None) -> str:
    """Return ranks and nodes as far as they were reported."""
    if attempt is not None and attempt.is_cut:
        return _("more than is shown here")
    if attempt is None or not is_sized(attempt):
        return _("not reported")
    count, size = len(attempt.hosts), attempt.world_size or 0
    ranks = ngettext("%(n)s rank", "%(n)s ranks", size) % {"n": size}
    nodes = ngettext("%(n)s node", "%(n)s nodes", count) % {"n": count}
    if not size or not count:
        return nodes if count else ranks
    return _("%(ranks)s on %(nodes)s") % {"ranks": ranks, "nodes": nodes}
