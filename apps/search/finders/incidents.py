"""Incidents by id, title, cause, layer, and by what they blame and hit."""

from collections.abc import Collection, Iterator
from string import digits
from typing import Final

from apps.incidents.facade.search import find_incidents
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.incident_search import IncidentWish
from apps.incidents.words import title_of
from apps.search.finders.causes import causes_with, named_causes
from apps.search.values import Hit, HitKind, SearchQuery
from apps.tenancy.access import Actor
from apps.wording import READERS
from apps.wording.causes import spoken
from apps.wording.names import LAYERS

NAMES = ("host", "uuid", "pci", "name")

DIGITS: Final = frozenset(digits)


def find(*, actor: Actor, query: SearchQuery, limit: int) -> tuple[Hit, ...]:
    """Return incidents whose header, as the actor reads it, holds what is asked for."""
    wish = _wish(query)
    found = find_incidents(actor=actor, wish=wish, limit=limit)
    hits = (_hit(header, query, wish) for header in found)
    return tuple(hit for hit in hits if hit is not None)[:limit]


def _wish(query: SearchQuery) -> IncidentWish:
    if query.xid is not None:
        return IncidentWish(xid=query.xid)
    if query.prefix == "host":
        return IncidentWish(host=query.text)
    if query.prefix == "session":
        return IncidentWish(session=query.text)
    if query.prefix == "cause":
        return IncidentWish(causes=named_causes(query))
    # A title names a cause and parts; the words of parts, which have digits, are in no cause.
    words = [each for each in query.text.casefold().split() if not DIGITS & set(each)]
    causes = causes_with(words) if words else []
    return IncidentWish(text=query.text, causes=causes, layers=_layers(query.text))


def _layers(text: str) -> list[str]:
    low = text.casefold()
    said = {slug: (slug, READERS.translate(name).casefold()) for slug, name in LAYERS.items()}
    return [slug for slug, words in said.items() if low in words]


def _hit(header: IncidentHeader, query: SearchQuery, wish: IncidentWish) -> Hit | None:
    """Return an incident that does hold it, and where, if not in the title; else nothing."""
    title = title_of(header)
    place = next(_places(header, title, query, wish), None)
    if place is None:
        return None
    incident = header.incident
    return Hit(
        kind=HitKind.INCIDENT,
        id=incident.public_id,
        title=title,
        detail="" if place == title else place,
        cluster=incident.cluster.slug if incident.cluster else "",
        cluster_name=incident.cluster.name if incident.cluster else "",
        layer=incident.layer,
        at=header.moment,
    )


def _places(
    header: IncidentHeader, title: str, query: SearchQuery, wish: IncidentWish
) -> Iterator[str]:
    """Yield the texts of a header that hold what is asked for, the plainest first."""
    incident, text = header.incident, query.text.casefold()
    if wish.xid is not None:
        yield f"Xid {wish.xid}"  # the reader's own evidence says so: nothing else was asked for
        return
    if wish.text:
        yield from (each for each in (title, incident.public_id) if _holds(each, text))
    if incident.cause in wish.causes and (query.prefix or incident.cause in named_causes(query)):
        yield spoken(incident.cause).name
    if incident.layer in wish.layers:
        yield READERS.translate(LAYERS[incident.layer])
    if wish.text or wish.host:
        names = NAMES if wish.text else ("host",)
        yield from (each for each in _blamed(header, names) if text in each.casefold())
    if (wish.text or wish.session) and header.rights.sees_session:
        named = (attempt.session.name for attempt in header.attempts)
        yield from (each for each in named if text in each.casefold())


def _holds(said: str, text: str) -> bool:
    low = said.casefold()
    return text in low or all(word in low for word in text.split())


def _blamed(header: IncidentHeader, names: Collection[str]) -> Iterator[str]:
    for part in header.culprits or ():
        yield from (str(part[name]) for name in names if part.get(name))
