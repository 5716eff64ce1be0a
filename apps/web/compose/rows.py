"""Incidents and sessions as lines of a list."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from apps.fleet.models import Attempt, Session
from apps.incidents.reading import IncidentHeader
from apps.incidents.words import shown_name, title_of
from apps.web import words
from apps.web.compose.basics import coverage_strip, day_text, layer_mark, probability
from apps.web.compose.incident import clock_length, restart_of
from apps.web.pages import IncidentRow, SessionRow


def incident_row(*, header: IncidentHeader, now: datetime) -> IncidentRow:
    """Return an incident as one line."""
    incident = header.incident
    broke = incident.started_at or incident.detected_at
    acting = [party for party in header.parties if party.acts]
    is_open = incident.status == "open"
    is_mine = is_open and any(party.is_reader for party in acting)
    strip = coverage_strip(header.coverage)
    names = " and ".join(party.organization.name for party in acting)
    return IncidentRow(
        public_id=incident.public_id,
        title=title_of(header).removeprefix("Session "),
        when=day_text(broke, now=now),
        layer=layer_mark(incident.layer),
        probability=probability(value=incident.probability, status=incident.verdict_status),
        ball=f"{names}, you" if is_mine and len(acting) == 1 else names if is_open else "",
        ball_since=clock_length(now - incident.detected_at) if names and is_open else "",
        is_with_reader=is_mine,
        coverage=f"{strip.present_count} / {strip.count}" if strip.count else "none",
        state=_state(header),
        restart=restart_of(header),
        started_at=broke,
    )


def _state(header: IncidentHeader) -> str:
    incident = header.incident
    if incident.status != "open":
        return words.STATUSES.get(incident.status, incident.status)
    if header.is_collecting:
        return "still collecting"
    noted = any(party.is_reader and party.acknowledged_at for party in header.parties)
    return "you took note" if noted else "open"


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
    started = last.started_at if last and last.started_at else session.created_at
    return SessionRow(
        public_id=session.public_id,
        name=shown_name(session),
        cluster=session.cluster.name if session.cluster else "ad hoc, yours alone",
        state=last.state if last else "unknown",
        state_word=words.STATES.get(last.state, last.state) if last else "no attempt reported",
        size=size_text(last),
        when=day_text(started, now=now),
        incident=header.incident.public_id if header else "",
        incident_title=title_of(header).partition(": ")[2] if header else "",
        layer=layer_mark(header.incident.layer) if header else None,
    )


def size_text(attempt: Attempt | None) -> str:
    """Return ranks and nodes as far as they were reported."""
    if attempt is None:
        return "not reported"
    ranks = f"{attempt.world_size} ranks" if attempt.world_size else ""
    count = len(attempt.hosts)
    nodes = "" if not count else "1 node" if count == 1 else f"{count} nodes"
    return " on ".join(part for part in (ranks, nodes) if part) or "not reported"
