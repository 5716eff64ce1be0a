"""That annotations changed, for pages that are open: marks without content."""

from collections.abc import Collection, Mapping

from apps.incidents.projection.header_values import IncidentFacts
from apps.incidents.threads import live
from apps.tenancy.access import Actor


def key_of(*, actor: Actor, incident: IncidentFacts) -> str:
    """Return where the mark is that the actor's organization may look at."""
    return live.key_of(incident_id=incident.id, organization_id=actor.organization.pk)


def marks(keys: Collection[str]) -> Mapping[str, str] | None:
    """Return the marks that there are; None while nobody can tell."""
    return live.marks(keys)
