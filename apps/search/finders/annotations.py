"""What people wrote beside incidents, as far as the actor reads it."""

from apps.incidents.facade.search import find_annotations
from apps.search.finders.excerpts import around
from apps.search.values import Hit, HitKind, SearchQuery
from apps.tenancy.access import Actor


def find(*, actor: Actor, query: SearchQuery, limit: int) -> tuple[Hit, ...]:
    """Return annotations that hold the text, the newest first."""
    return tuple(
        Hit(
            kind=HitKind.ANNOTATION,
            id=each.annotation.public_id,
            title=around(text=each.annotation.text, needle=query.text),
            detail=f"{each.annotation.author_name}, {each.annotation.organization.name}",
            incident=each.incident,
            at=each.annotation.created_at,
        )
        for each in find_annotations(actor=actor, text=query.text, limit=limit)
    )
