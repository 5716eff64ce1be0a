"""Incidents that blame nodes, as far as their reader sees whom they blame."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Final

from django.db.models import F, Q, QuerySet

from apps.incidents.models import IncidentParty, IncidentSession
from apps.incidents.projection.access import access_incidents
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.headers import read_headers
from apps.incidents.recurrence.past_incidents import MOST_PARTS
from apps.incidents.states import IncidentKind, IncidentStatus
from apps.tenancy.access import Actor
from apps.tenancy.database.one_of import one_of_ids

# The newest: a page stays quick whatever a cluster has behind it.
MOST: Final = 2000
COLUMNS: Final = (
    *("pk", "public_id", "kind", "layer", "cause", "culprits", "started_at", "step_count"),
    *("moment", "shown_status", "kept_id"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlamedAttempt:
    """An attempt that such an incident hit, of those that the reader may know of."""

    id: int
    session_id: int
    number: int
    ended_at: datetime | None
    world_size: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BlamedIncident:
    """What is counted of an incident that blames nodes."""

    public_id: str
    kind: str
    moment: datetime
    started_at: datetime | None
    layer: str
    cause: str
    hosts: tuple[str, ...]
    attempts: tuple[BlamedAttempt, ...]
    ticket_count: int = 0  # of hand-overs that the reader knows


@dataclass(frozen=True, slots=True, kw_only=True)
class BlamedIncidents:
    """Those of a cluster in a span, the newest first."""

    incidents: tuple[BlamedIncident, ...]
    hidden_count: int  # whom they blame is hidden by policy
    is_cut: bool  # there are more, older ones
    in_full: tuple[IncidentHeader, ...] = ()  # those that blame the host that was asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class HostInFull:
    """A host of whose incidents the newest are wanted whole."""

    host: str
    since: datetime
    limit: int


def blamed_incidents(
    *,
    actor: Actor,
    cluster_id: int,
    since: datetime,
    until: datetime,
    whole: HostInFull | None = None,
) -> BlamedIncidents:
    """Return the incidents that blame nodes. Of many at once none is to blame. Needs the scope.

    Most are read by the few columns that count. Where what the reader sees differs from the row
    (of several tenants, after it left) or people worked on it, its whole header is read.
    """
    rows = _rows(actor, cluster_id, since, until)
    rows = rows.exclude(Q(kept=None) & Q(culprits=[])).annotate(kept_id=F("kept__id"))
    found = list(rows.select_related(None).values_list(*COLUMNS, named=True)[: MOST + 1])
    kept = [each for each in found[:MOST] if each.shown_status != IncidentStatus.WITHDRAWN]
    mine = _mine(actor, kept)
    plain = [each for each in kept if _is_plain(each, mine)]
    attempts = _attempts([each.pk for each in plain])
    ids = {each.pk for each in plain}
    others = {each.pk for each in kept} - ids
    wanted = others | _wanted(plain, mine, whole)
    read = _standing(actor, list(rows.filter(pk__in=wanted))) if wanted else []
    headers = [each for each in read if each.id in others]
    told = [
        *(_of_row(each, attempts.get(each.pk, ())) for each in plain if mine[each.pk].sees_culprit),
        *(_of_header(each) for each in headers),
    ]
    told.sort(key=lambda each: (each.moment, each.public_id), reverse=True)
    return BlamedIncidents(
        incidents=tuple(each for each in told if each.hosts),
        hidden_count=sum(not mine[each.pk].sees_culprit for each in plain)
        + sum(each.culprits is None for each in headers),
        is_cut=len(found) > MOST,
        in_full=_in_full(read, whole),
    )


def _wanted(rows: Sequence[Any], mine: Mapping[int, Any], whole: HostInFull | None) -> set[int]:
    """Return the newest rows, by id, that blame the host of which whole headers are asked for."""
    if whole is None:
        return set()
    blaming = (
        each.pk
        for each in rows
        if mine[each.pk].sees_culprit
        and each.moment >= whole.since
        and whole.host in _few_hosts(each.culprits)
    )
    return {*islice(blaming, whole.limit)}


def _in_full(
    headers: Sequence[IncidentHeader], whole: HostInFull | None
) -> tuple[IncidentHeader, ...]:
    if whole is None:
        return ()
    blaming = (
        each for each in headers if each.moment >= whole.since and whole.host in blamed_hosts(each)
    )
    newest = sorted(blaming, key=lambda each: (each.moment, each.id), reverse=True)
    return tuple(newest[: whole.limit])


def _mine(actor: Actor, rows: Sequence[Any]) -> dict[int, Any]:
    """Return incident id → what counts of the reader's own part in it."""
    parties = IncidentParty.objects.for_organization(actor.organization)
    found = parties.filter(one_of_ids("incident_id", [row.pk for row in rows]))
    columns = ("incident_id", "sees_culprit", "left_at")
    return {row.incident_id: row for row in found.values_list(*columns, named=True)}


def _is_plain(row: Any, mine: Mapping[int, Any]) -> bool:
    """Say whether the row is what the reader sees of it, but for whom it blames."""
    party = mine.get(row.pk)
    is_whole = row.kind != IncidentKind.SHARED and not row.step_count and row.kept_id is None
    return is_whole and party is not None and party.left_at is None


def _attempts(ids: Sequence[int]) -> dict[int, tuple[BlamedAttempt, ...]]:
    """Return incident id → the attempts that it hit, of those that the scope sees."""
    found: dict[int, tuple[BlamedAttempt, ...]] = {}
    rows = IncidentSession.objects.filter(one_of_ids("incident_id", ids)).order_by("attempt_id")
    columns = ("attempt_id", "session_id", "number", "ended_at", "world_size")
    named = (name if name.endswith("_id") else f"attempt__{name}" for name in columns)
    for incident_id, *values in rows.values_list("incident_id", *named):
        pk, session_id, number, ended_at, world_size = values
        attempt = BlamedAttempt(
            id=pk, session_id=session_id, number=number, ended_at=ended_at, world_size=world_size
        )
        found[incident_id] = (*found.get(incident_id, ()), attempt)
    return found


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
    return _few_hosts(header.culprits or ())


def _few_hosts(culprits: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    found = {str(each["host"]) for each in culprits if each.get("host")}
    return tuple(sorted(found)) if len(found) <= MOST_PARTS else ()


def _rows(actor: Actor, cluster_id: int, since: datetime, until: datetime) -> QuerySet[Any]:
    rows: QuerySet[Any] = access_incidents(actor=actor, since=since, until=until)
    return rows.filter(cluster=cluster_id)


def _standing(actor: Actor, rows: Sequence[Any]) -> list[IncidentHeader]:
    headers = read_headers(actor=actor, incidents=rows)
    return [each for each in headers if each.incident.status != IncidentStatus.WITHDRAWN]


def _of_row(row: Any, attempts: tuple[BlamedAttempt, ...]) -> BlamedIncident:
    return BlamedIncident(
        public_id=row.public_id,
        kind=row.kind,
        moment=row.moment,
        started_at=row.started_at,
        layer=row.layer,
        cause=row.cause,
        hosts=_few_hosts(row.culprits),
        attempts=attempts,
    )


def _of_header(header: IncidentHeader) -> BlamedIncident:
    incident = header.incident
    return BlamedIncident(
        public_id=incident.public_id,
        kind=incident.kind,
        moment=header.moment,
        started_at=incident.started_at,
        layer=incident.layer,
        cause=incident.cause,
        hosts=blamed_hosts(header),
        attempts=tuple(
            BlamedAttempt(
                id=each.id,
                session_id=each.session.id,
                number=each.number,
                ended_at=each.ended_at,
                world_size=each.world_size,
            )
            for each in header.attempts
        ),
        ticket_count=_tickets(header),
    )


def _tickets(header: IncidentHeader) -> int:
    told = [
        ticket
        for each in header.coordination.hand_overs
        for ticket in (each.sender_ticket, each.recipient_ticket)
    ]
    return len({each for each in told if each})
