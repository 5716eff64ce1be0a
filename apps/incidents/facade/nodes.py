"""Which nodes incidents blame. All of it needs the scope of the actor's organization."""

from datetime import datetime

from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.recurrence import blamed_incidents as blamed
from apps.incidents.recurrence.blamed_incidents import BlamedIncidents, HostInFull
from apps.tenancy.access import Actor


def blamed_incidents(
    *,
    actor: Actor,
    cluster_id: int,
    since: datetime,
    until: datetime,
    whole: HostInFull | None = None,
) -> BlamedIncidents:
    """Return what is counted of a cluster's incidents that blame nodes, the newest first; with the
    whole headers of those that blame one host, where these are asked for.
    """
    return blamed.blamed_incidents(
        actor=actor, cluster_id=cluster_id, since=since, until=until, whole=whole
    )


def incidents_blaming(
    *, actor: Actor, cluster_id: int, host: str, since: datetime, until: datetime, limit: int
) -> tuple[IncidentHeader, ...]:
    """Return the headers of incidents that blame a node, the newest first."""
    return blamed.incidents_blaming(
        actor=actor, cluster_id=cluster_id, host=host, since=since, until=until, limit=limit
    )


def blamed_hosts(header: IncidentHeader) -> tuple[str, ...]:
    """Return the hosts that an incident blames; none where they are too many to be the reason."""
    return blamed.blamed_hosts(header)
