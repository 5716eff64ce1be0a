"""That people did something with an incident: then it is withdrawn one day, never deleted."""

from apps.incidents.models import Incident
from apps.tenancy.access import Actor
from apps.tenancy.scope import organization_scope


def mark_touched(*, actor: Actor, incident: Incident) -> None:
    """Note on the header that a person acted."""
    # The header is its owner's row: writing it takes a scope that holds the owner, too.
    with organization_scope(incident.organization_id, actor.organization.pk):
        Incident.objects.filter(pk=incident.pk).update(touched_by_people=True)
