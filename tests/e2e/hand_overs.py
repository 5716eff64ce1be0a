"""An incident that one party is asked to take into its hands."""

from typing import Final

from apps.fleet.models import ParticipationRole
from apps.incidents.entries import HandOverEntry
from apps.incidents.lifecycle.hand_over import propose
from apps.incidents.models import Incident
from apps.incidents.projection.access import access_incident
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor, attempt_of, stop_of

# What the part answers for: its hand-over is of a stop of that layer.
LAYERS: Final = {
    ParticipationRole.TENANT: ("software", "cuda-out-of-memory"),
    ParticipationRole.GPU_VENDOR: ("gpu", "gpu-off-bus"),
    ParticipationRole.NETWORK_VENDOR: ("network", "link-down"),
    ParticipationRole.STORAGE_VENDOR: ("storage", "storage-unresponsive"),
    ParticipationRole.PLATFORM: ("host", "node-unreachable"),
}


def handed_over(cast: Cast, to: Organization, layer: str, cause: str) -> Incident:
    """Let a session stop in a layer, and its operator propose to hand the incident over."""
    found = stop_of(cast, attempt_of(cast, cast.tenant), layer=layer, cause=cause)
    with organization_scope(cast.operator.pk):
        asking = actor(cast.operator)
        propose(
            actor=asking,
            incident=access_incident(actor=asking, public_id=found.public_id),
            entry=HandOverEntry(to=to.slug, reason="your-layer", text="it is yours to mend"),
            now=make.AT,
        )
    return found
