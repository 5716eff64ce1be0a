"""Acknowledge an incident: each party for itself."""

from datetime import datetime

from apps.diagnosis.model import statement
from apps.incidents.lifecycle.telling import actor_fact, tell
from apps.incidents.models import Incident, IncidentParty
from apps.incidents.projection.access import require_part
from apps.incidents.refusals import AlreadyHandled
from apps.tenancy.access import Actor


def acknowledge(*, actor: Actor, incident: Incident, now: datetime) -> None:
    """Note that the actor's organization has seen the incident. Each party does so for itself."""
    require_part(actor=actor, incident=incident)
    claimed = (
        IncidentParty.objects.for_organization(actor.organization)
        .filter(incident=incident, acknowledged_at=None)
        .update(acknowledged_at=now, acknowledged_by=actor.user)
    )
    if not claimed:
        raise AlreadyHandled
    told = statement("acknowledged", who=actor_fact(actor))
    tell(actor=actor, incident=incident, kind="acknowledged", told=told, now=now)
