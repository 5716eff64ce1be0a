"""Incidents that blame nodes, as far as their reader sees whom they blame."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Q, QuerySet

from apps.incidents.projection.access import access_incidents
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.headers import read_headers
from apps.incidents.recurrence.past_incidents import MOST_PARTS
from apps.incidents.states import IncidentStatus
from apps.tenancy.access import Actor

# The newest: a page stays quick whatever a cluster has behind it.
MOST: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class BlamedIncident:
    """What is counted of an incident that blames nodes."""

    public_id: str
    moment: datetime
    layer: str
    cause: str
    hosts: tuple[str, ...]
    attempt_ids: tuple[int, ...]  # those that the reader may know of
    session_ids: tuple[str, ...]
    ticket_count: int  # of hand-overs that the reader knows


@dataclass(frozen=True, slots=True, kw_only=True)
class BlamedIncidents:
    """Those of a cluster in a span, the newest first."""

    incidents: tuple[BlamedIncident, ...]
    hidden_count: int  # whom they blame is hidden by policy
    is_cut: bool  # there are more, older ones


def blamed_incidents(
    *, actor: Actor, cluster_id: int, since: datetime, until: datetime
) -> BlamedIncidents:
    """Return the incidents that blame nodes. Of many at once none is to blame. Needs the scope."""
    rows = _rows(actor, cluster_id, since, until)
    found = list(rows.exclude(Q(kept=None) & Q(culprits=[]))[: MOST + 1])
    headers = _standing(actor, found[:MOST])
    return BlamedIncidents(
        incidents=tuple(told for each in headers if (told := _blamed(each)).hosts),
        hidden_count=sum(each.culprits is None for each in headers),
        is_cut=len(found) > MOST,
    )


def incidents_blaming(
    *, actor: Actor, cluster_id: int, host: str, since: datetime, until: datetime, limit: int
) -> tuple[IncidentHeader, ...]:
    """Return the headers of those that blame a node, the newest first. Needs the scope."""
    blames = Q(culprits__contains=[{"host": host}]) | ~Q(kept=None)
    rows = _rows(actor, cluster_id, since, until).filter(blames)
    headers = _standing(actor, list(rows[:limit]))
    return tuple(each for each in headers if host in blamed_hosts(each))


def blamed_hosts(header: IncidentHeader) -> tuple[str, ...]:
    """Return the hosts that an incident blames; none where they are too many to be the reason."""
    found = {str(each["host"]) for each in header.culprits or () if each.get("host")}
    return tuple(sorted(found)) if len(found) <= MOST_PARTS else ()


def _rows(actor: Actor, cluster_id: int, since: datetime, until: datetime) -> QuerySet[Any]:
    rows: QuerySet[Any] = access_incidents(actor=actor, since=since, until=until)
    return rows.filter(cluster=cluster_id)


def _standing(actor: Actor, rows: Sequence[Any]) -> list[IncidentHeader]:
    headers = read_headers(actor=actor, incidents=rows)
    return [each for each in headers if each.incident.status != IncidentStatus.WITHDRAWN]


def _blamed(header: IncidentHeader) -> BlamedIncident:
    incident = header.incident
    return BlamedIncident(
        public_id=incident.public_id,
        moment=header.moment,
        layer=incident.layer,
        cause=incident.cause,
        hosts=blamed_hosts(header),
        attempt_ids=tuple(each.id for each in header.attempts),
        session_ids=tuple(each.session.public_id for each in header.attempts),
        ticket_count=_tickets(header),
    )


def _tickets(header: IncidentHeader) -> int:
    told = [
        ticket
        for each in header.coordination.hand_overs
        for ticket in (each.sender_ticket, each.recipient_ticket)
    ]
    return len({each for each in told if each})
