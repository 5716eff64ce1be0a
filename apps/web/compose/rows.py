"""Incidents and sessions as lines of a list."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.fleet.models import Attempt, Session
from apps.incidents.correlation.stop_folding import lines_of
from apps.incidents.models import Incident
from apps.incidents.states import IncidentKind
from apps.incidents.projection.incident_view import IncidentHeader
from apps.incidents.words import restart, shown_name, summary_of, title_of
from apps.web import words
from apps.web.compose.basics import clock_length, coverage_strip, day_text, layer_mark, probability
from apps.web.pages import IncidentRow, SessionRow

NOTICED_LATE = timedelta(minutes=10)


def incident_rows(
    *, headers: Sequence[IncidentHeader], now: datetime, is_folded: bool
) -> list[IncidentRow]:
    """Return incidents as lines; folded, each with how many it stands for."""
    if not headers or not is_folded:
        return [incident_row(header=header, now=now) for header in headers]
    heads = [header.incident for header in headers]
    lines = lines_of(heads=heads, reader=headers[0].reader)
    return [
        _repeated(incident_row(header=header, now=now), header, len(lines[header.incident.pk]))
        for header in headers
    ]


def _repeated(row: IncidentRow, header: IncidentHeader, count: int) -> IncidentRow:
    if count == 1:
        return row
    if not header.incident.is_further:
        return replace(row, repeats=_("%(n)s times in a row") % {"n": count})
    told = {"n": count, "name": header.incident.organization.name}
    title = _("%(n)s further stops of %(name)s within the hour") % told
    return replace(row, title=title, repeats=_("show all %(n)s") % {"n": count})


def incident_row(*, header: IncidentHeader, now: datetime) -> IncidentRow:
    """Return an incident as one line."""
    incident = header.incident
    acting = [party for party in header.parties if party.acts]
    is_open = incident.status == "open"
    is_mine = is_open and any(party.is_reader for party in acting)
    strip = coverage_strip(header.coverage)
    names = words.joined([party.organization.name for party in acting])
    return IncidentRow(
        public_id=incident.public_id,
        title=title_of(header).removeprefix(f"{_('Session')} "),
        when=_when(incident=incident, now=now),
        noticed=_noticed(incident=incident, now=now),
        layer=layer_mark(incident.layer),
        probability=probability(value=incident.probability, status=incident.verdict_status),
        ball=_ball(names, is_alone=is_mine and len(acting) == 1) if is_open else "",
        ball_since=clock_length(now - incident.detected_at) if names and is_open else "",
        is_with_reader=is_mine,
        coverage=f"{strip.present_count} / {strip.count}" if strip.count else _("none"),
        state=_state(header),
        restart=restart(header),
        started_at=incident.started_at or incident.detected_at,
    )


def _when(*, incident: Incident, now: datetime) -> str:
    if incident.started_at is None:
        at = day_text(incident.detected_at, now=now)
        return _("noticed %(at)s, when it began is not known") % {"at": at}
    text = _("broke %(at)s") if incident.kind == IncidentKind.STOP else _("began %(at)s")
    return text % {"at": day_text(incident.started_at, now=now)}


def _noticed(*, incident: Incident, now: datetime) -> str:
    broke = incident.started_at
    if broke is None or incident.detected_at - broke < NOTICED_LATE:
        return ""
    return _("noticed %(at)s") % {"at": day_text(incident.detected_at, now=now)}


def _ball(names: str, *, is_alone: bool) -> str:
    return _("%(names)s, you") % {"names": names} if is_alone else names


def _state(header: IncidentHeader) -> str:
    incident = header.incident
    if incident.status != "open":
        return words.said(words.STATUSES, incident.status, incident.status)
    if header.is_collecting:
        return _("still collecting")
    noted = any(party.is_reader and party.acknowledged_at for party in header.parties)
    return _("you took note") if noted else _("open")


def session_row(
    *,
    session: Session,
    attempts: Sequence[Attempt],
    headers: Mapping[int, IncidentHeader],
    now: datetime,
) -> SessionRow:
    """Return a session as one line, with how its last attempt ended."""
    last = attempts[-1] if attempts else None
    header = headers.get(session.pk)
    started = last.started_at if last else None
    heard = day_text(session.created_at, now=now)
    return SessionRow(
        public_id=session.public_id,
        name=shown_name(session),
        cluster=session.cluster.name if session.cluster else _("ad hoc, yours alone"),
        state=last.state if last else "unknown",
        state_word=words.said(words.STATES, last.state, last.state)
        if last
        else _("no attempt reported"),
        size=size_text(last),
        is_sized=is_sized(last),
        when=day_text(started, now=now) if started else _("first heard of %(at)s") % {"at": heard},
        incident=header.incident.public_id if header else "",
        incident_title=summary_of(header) if header else "",
        layer=layer_mark(header.incident.layer) if header else None,
    )


def is_sized(attempt: Attempt | None) -> bool:
    """Say whether the size of an attempt can be told in numbers."""
    return bool(attempt and not attempt.is_cut and (attempt.world_size or attempt.hosts))


def size_text(attempt: Attempt | None) -> str:
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
