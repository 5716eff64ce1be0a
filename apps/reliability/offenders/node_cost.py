"""What stops that blame a node cost: the GPUs of their sessions stood still until the next start.

What had been trained since the last checkpoint is not in it: only a session's own logs tell that.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from apps.fleet.values import AttemptStart
from apps.incidents.recurrence.blamed_incidents import BlamedAttempt, BlamedIncident
from apps.incidents.states import IncidentKind
from apps.reliability.offenders.values import NodeCost
from apps.training.economics.losses import IncidentLoss

# Whoever starts again a day later had other reasons, too.
LONGEST: Final = timedelta(hours=24)
Starts = Mapping[int, Sequence[AttemptStart]]


def node_cost(incidents: Iterable[BlamedIncident], *, host: str, starts: Starts) -> NodeCost:
    """Return the cost of the stops among incidents that blame a node."""
    stops = [each for each in incidents if each.kind == IncidentKind.STOP]
    found = [incident_losses(each, host=host, starts=starts) for each in stops]
    known = [losses for losses in found if losses]
    return NodeCost(
        gpu_hours=sum(loss.gpu_hours for losses in known for loss in losses),
        counted=len(known),
        unknown=len(stops) - len(known),
    )


def incident_losses(
    incident: BlamedIncident, *, host: str, starts: Starts
) -> tuple[IncidentLoss, ...]:
    """Return what a stop cost each session that it hit and of which enough was told."""
    return tuple(
        IncidentLoss(
            incident=incident.public_id,
            at=incident.moment,
            gpus=each.world_size,
            layer=incident.layer,
            cause=incident.cause,
            node=host,
            downtime_seconds=downtime.total_seconds(),
        )
        for each in incident.attempts
        if each.world_size
        and incident.started_at is not None
        and (downtime := _downtime(each, incident.started_at, starts)) is not None
    )


def _downtime(hit: BlamedAttempt, broke_at: datetime, starts: Starts) -> timedelta | None:
    """Return how long its GPUs stood still: until the next start, else until it ended."""
    later = [each for each in starts.get(hit.session_id, ()) if each.number > hit.number]
    until = later[0].started_at if later else hit.ended_at
    if until is None or until < broke_at:
        return None
    return min(until - broke_at, LONGEST)
