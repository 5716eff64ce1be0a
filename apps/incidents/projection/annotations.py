"""What people wrote beside an incident, as far as the scope may read it."""

from apps.incidents.models import Annotation, Incident
from apps.incidents.projection.access import present_parties
from apps.incidents.projection.values import AnnotationVersion
from apps.incidents.snapshots import until_left
from apps.incidents.threads.replies import in_threads
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.models import Organization
from apps.tenancy.values import name_of, value_of


def annotations_of(*, incident: Incident) -> list[Annotation]:
    """Return the newest version of each annotation that the scope may see, in threads.

    Of what was withdrawn the last version says so, and has no words.
    """
    rows = until_left(rows=Annotation.objects.filter(incident=incident), incident=incident)
    return in_threads(list(rows.select_related("organization")))


def history_of(*, actor: Actor, incident: Incident, public_id: str) -> list[Annotation]:
    """Return all versions of an annotation that the scope may see, oldest first."""
    actor.require(Right.READ)
    rows = until_left(rows=Annotation.objects.filter(incident=incident), incident=incident)
    versions = rows.filter(public_id=public_id).select_related("organization")
    found = list(versions.order_by("version", "id"))
    answers = found[-1].answers if found else ""
    if not found or (answers and not rows.filter(public_id=answers).exists()):
        raise NotFound
    return found


def histories_of(*, incident: Incident) -> dict[str, list[Annotation]]:
    """Return the versions of each annotation that the scope may see, oldest first, by its id."""
    rows = until_left(rows=Annotation.objects.filter(incident=incident), incident=incident)
    found: dict[str, list[Annotation]] = {}
    for row in rows.select_related("organization").order_by("version", "id"):
        found.setdefault(row.public_id, []).append(row)
    return found


def read_annotations(*, incident: Incident) -> tuple[AnnotationVersion, ...]:
    """Return the newest version of each annotation that the scope may see, in threads."""
    return tuple(version_of(row) for row in annotations_of(incident=incident))


def version_of(row: Annotation) -> AnnotationVersion:
    """Return what a version of an annotation says."""
    return value_of(
        AnnotationVersion,
        row,
        text="" if row.is_withdrawn else row.text,
        organization=name_of(row.organization),
        audience=tuple(row.audience),
        mentioned_parties=tuple(row.mentioned_parties),
    )


def party_ids(*, actor: Actor, incident: Incident) -> dict[str, int]:
    """Return slug → id of the parties of the incident that the actor may know and name.

    Who left the cluster is none: what is written now is not written for it.
    """
    ids = present_parties(incident=incident, organization_id=actor.organization.pk)
    return dict(Organization.objects.filter(id__in=ids).values_list("slug", "id"))
