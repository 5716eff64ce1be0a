"""Incidents and annotations that hold a text. Each needs the scope of the actor's organization."""

from apps.incidents.projection import incident_search
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.incident_search import FoundAnnotation, IncidentWish
from apps.tenancy.access import Actor


def find_incidents(*, actor: Actor, wish: IncidentWish, limit: int) -> tuple[IncidentHeader, ...]:
    """Return headers that may hold what is asked for, newest first: whoever asks looks at them."""
    return tuple(incident_search.search_incidents(actor=actor, wish=wish, limit=limit))


def find_annotations(*, actor: Actor, text: str, limit: int) -> tuple[FoundAnnotation, ...]:
    """Return what people wrote that holds a text and that the actor reads, newest first."""
    return tuple(incident_search.search_annotations(actor=actor, text=text, limit=limit))
