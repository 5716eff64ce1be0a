"""What is read of annotations. All of it needs the scope of the actor's organization."""

from collections.abc import Collection, Mapping

from apps.incidents.facade.incident_row import row_of
from apps.incidents.projection import annotations
from apps.incidents.projection.header_values import IncidentFacts
from apps.incidents.projection.values import AnnotationVersion
from apps.incidents.threads import unread
from apps.tenancy.access import Actor


def annotations_of(*, incident: IncidentFacts) -> tuple[AnnotationVersion, ...]:
    """Return the newest version of each annotation that the scope may see, in threads."""
    return annotations.read_annotations(incident=row_of(incident))


def unread_of(*, actor: Actor, incident: IncidentFacts) -> frozenset[int]:
    """Return the ids of the annotations' versions that the actor has not seen."""
    return unread.unread_of(actor=actor, incident=row_of(incident))


def unread_counts(*, actor: Actor, incident_ids: Collection[int]) -> Mapping[int, int]:
    """Return incident id → how many annotations the actor has not seen, where there are any."""
    return unread.unread_counts(actor=actor, incident_ids=incident_ids)


def annotation_history(
    *, actor: Actor, incident: IncidentFacts, public_id: str
) -> tuple[AnnotationVersion, ...]:
    """Return all versions of an annotation that the scope may see, oldest first."""
    rows = annotations.history_of(actor=actor, incident=row_of(incident), public_id=public_id)
    return tuple(annotations.version_of(row) for row in rows)


def annotation_histories(*, incident: IncidentFacts) -> Mapping[str, tuple[AnnotationVersion, ...]]:
    """Return annotation id → its versions that the scope may see, oldest first."""
    found = annotations.histories_of(incident=row_of(incident))
    return {name: tuple(map(annotations.version_of, rows)) for name, rows in found.items()}


def party_ids(*, actor: Actor, incident: IncidentFacts) -> Mapping[str, int]:
    """Return slug → id of those whom the actor can write an annotation for."""
    return annotations.party_ids(actor=actor, incident=row_of(incident))
