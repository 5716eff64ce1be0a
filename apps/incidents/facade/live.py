"""That an incident changed, for pages that are open: marks without content."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from apps.incidents.facade.incident_row import row_of
from apps.incidents.projection.header_values import IncidentFacts
from apps.incidents.projection.shared import shared_access
from apps.incidents.threads import live
from apps.incidents.timeline import newest_entry
from apps.tenancy import page_marks
from apps.tenancy.access import Actor


class PageKeys(NamedTuple):
    """Where the marks are that a page of an incident looks at."""

    incident: str
    notes: str  # its annotations
    organization: str  # what the reader's organization and others agreed


def keys_of(*, actor: Actor, incident: IncidentFacts) -> PageKeys:
    """Return those that the actor's organization may look at."""
    own = actor.organization.pk
    return PageKeys(
        incident=live.key_of(incident_id=incident.id, organization_id=own),
        notes=live.notes_key_of(incident_id=incident.id, organization_id=own),
        organization=page_marks.organization_key(own),
    )


def marks(keys: Collection[str]) -> Mapping[str, str] | None:
    """Return the marks that there are; None while nobody can tell."""
    return page_marks.marks(keys)


def newest_moment(*, incident: IncidentFacts) -> int:
    """Return the newest moment of the timeline that the scope may see; it moves with each act."""
    return newest_entry(incident=row_of(incident))


def shown_by(*, actor: Actor, incident: IncidentFacts) -> tuple[str, ...]:
    """Return by what others show the actor's organization something of it now."""
    access = shared_access.shared_access(actor=actor, incident=row_of(incident))
    return shared_access.shown_by(access)
