"""Causes by their slug and their words, in English and in the reader's language."""

from collections.abc import Collection

from apps.diagnosis.causes.load import load_causes
from apps.search.values import Hit, HitKind, SearchQuery
from apps.tenancy.access import Actor
from apps.wording.causes import CAUSES, cause, spoken


def find(*, actor: Actor, query: SearchQuery, limit: int) -> tuple[Hit, ...]:
    """Return the causes that a query names: knowledge that every reader has."""
    return tuple(
        Hit(kind=HitKind.CAUSE, id=slug, title=spoken(slug).name, layer=_layer(slug))
        for slug in named_causes(query)[:limit]
    )


def named_causes(query: SearchQuery) -> list[str]:
    """Return the slugs whose words hold the text, or for which an Xid speaks."""
    if query.xid is not None:
        sign = f"xid:{query.xid}"
        known = load_causes().items()
        return sorted(
            k for k, c in known if any(s.sign == sign and s.weight > 0 for s in c.symptoms)
        )
    return causes_with(query.text.casefold().split())


def causes_with(words: Collection[str]) -> list[str]:
    """Return the slugs of causes in whose names and clauses all of these words stand."""
    return sorted(slug for slug in CAUSES if all(word in _said(slug) for word in words))


def _said(slug: str) -> str:
    own, read = cause(slug), spoken(slug)
    texts = (own.name, own.clause, own.plain, read.name, read.clause, read.plain)
    return " | ".join((slug, slug.replace("-", " "), *texts)).casefold()


def _layer(slug: str) -> str:
    known = load_causes().get(slug)
    return known.layer.value if known else ""
