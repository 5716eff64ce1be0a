"""From where a party looks at an incident: where its sessions ran, and what it calls by name."""

from datetime import datetime
from typing import Final

from apps.fleet.access import access_sessions
from apps.fleet.models import Attempt, Cluster, Participation
from apps.fleet.parties.participants import answered_layers
from apps.incidents.models import Incident
from apps.incidents.projection.access import party_of, sessions_of
from apps.incidents.projection.rights import SEES_SESSIONS
from apps.sharing.grant_values import BESIDE_SESSION, IncidentPlace, SessionSpan
from apps.sharing.redactor import ReaderNames
from apps.tenancy.access import Actor

MOST_SESSIONS: Final = 500  # of one party, the newest


def own_spans(incident: Incident, organization_id: int) -> tuple[SessionSpan, ...]:
    """Return where a party's own sessions ran, as far as the scope may see them."""
    rows = sessions_of(incident=incident)
    return tuple(
        SessionSpan(
            attempt_id=row.attempt_id,
            # Only its tenant says where it ran: others' facts don't join through that.
            hosts=frozenset(row.attempt.hosts if row.attempt.hosts_asserted else ()),
            starts_at=row.attempt.started_at,
            ends_at=row.attempt.ended_at,
        )
        for row in rows
        if row.organization_id == organization_id
    )


def known_spans(
    *, actor: Actor, owner_id: int, cluster: Cluster, since: datetime
) -> tuple[SessionSpan, ...]:
    """Return where a party's sessions ran in a cluster since then, of those that the actor may
    know of and of which who runs the cluster says so, the newest. Needs the actor's scope.
    """
    known = access_sessions(actor=actor, cluster=cluster.slug).order_by()
    ran = Attempt.objects.filter(
        organization=owner_id, session__in=known.values("pk"), hosts_asserted=True
    )
    rows = ran.exclude(ended_at__lt=since - BESIDE_SESSION).order_by("-id")
    columns = ("pk", "hosts", "started_at", "ended_at")
    return tuple(
        SessionSpan(attempt_id=pk, hosts=frozenset(hosts), starts_at=starts_at, ends_at=ends_at)
        for pk, hosts, starts_at, ends_at in rows.values_list(*columns)[:MOST_SESSIONS]
    )


def incident_place(incident: Incident) -> IncidentPlace:
    """Return where and when an incident was, as rules ask."""
    broke_at = incident.started_at or incident.detected_at
    newest = incident.newest_evidence_at or broke_at
    return IncidentPlace(starts_at=broke_at, ends_at=max(broke_at, newest), layer=incident.layer)


def reader_layers(actor: Actor, incident: Incident) -> frozenset[str]:
    """Return the layers for which the actor's organization answers in an incident's cluster."""
    own = Participation.objects.for_organization(actor.organization)
    rows = list(own.filter(cluster=incident.cluster_id))
    return answered_layers(
        parts=[row.part for row in rows], layers=[layer for row in rows for layer in row.layers]
    )


def reader_names(
    incident: Incident,
    *,
    parts: frozenset[str],
    sees_culprit: bool,
    sessions: tuple[SessionSpan, ...],
) -> ReaderNames:
    """Return what the reader's own header names: nothing is hidden in the line below it."""
    culprits = {each["host"] for each in incident.culprits if each.get("host")}
    hosts = frozenset[str]().union(*(each.hosts for each in sessions))
    return ReaderNames(
        parts=parts,
        hosts=hosts | (culprits if sees_culprit else frozenset()),
        knows_all_hosts=bool(parts & (SEES_SESSIONS - {"tenant"})),
    )


def hosts_named_to(*, actor: Actor, incident: Incident) -> frozenset[str] | None:
    """Return the hosts that an incident names to the actor's organization; None: it knows all."""
    mine = party_of(actor=actor, incident=incident)
    names = reader_names(
        incident,
        parts=frozenset(mine.parts),
        sees_culprit=mine.sees_culprit,
        sessions=own_spans(incident, mine.organization_id),
    )
    return None if names.knows_all_hosts else names.hosts
