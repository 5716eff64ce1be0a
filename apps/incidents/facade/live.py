"""What open pages of incidents ask when something changed."""

from collections.abc import Collection, Mapping

from apps.incidents.facade.incident_row import row_of
from apps.incidents.projection.access import shown_ids
from apps.incidents.projection.header_values import IncidentFacts
from apps.incidents.timeline import newest_entry
from apps.tenancy.access import Actor


def incident_names(*, actor: Actor, ids: Collection[int]) -> Mapping[int, str]:
    """Return row → public id as the actor's organization knows it, of those that it may read."""
    return shown_ids(actor=actor, ids=ids)


def newest_moment(*, incident: IncidentFacts) -> int:
    """Return the newest moment of the timeline that the scope may see; it moves with each act."""
    return newest_entry(incident=row_of(incident))
