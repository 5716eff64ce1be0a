"""An incident with several parties, and short ways to write on it."""

from datetime import timedelta

from apps.incidents.annotations import annotate
from apps.incidents.entries import Audience, Note
from apps.incidents.models import Annotation, Incident
from apps.incidents.projection.annotations import annotations_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import actor

NOW = make.AT + timedelta(minutes=5)


def write(
    incident: Incident,
    author: Organization,
    text: str,
    *readers: Organization,
    answers: Annotation | None = None,
) -> Annotation:
    """Write as a member of an organization, for these others."""
    with organization_scope(author.pk):
        return annotate(
            actor=actor(author),
            incident=incident,
            note=Note(text=text, answers=answers.public_id if answers else ""),
            audience=Audience(organizations=tuple(each.slug for each in readers)),
            now=NOW,
        )


def texts(incident: Incident, reader: Organization) -> list[str]:
    """Return what an organization reads."""
    with organization_scope(reader.pk):
        return [row.text for row in annotations_of(incident=incident)]
