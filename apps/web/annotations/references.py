"""Words of annotations that name an incident, a session or a host which the reader may read.

What is not there and what is another's look alike: both stay text.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from django.db.models import Q
from django.urls import reverse

from apps.fleet.facade.sessions import attempts_of, list_sessions
from apps.incidents.facade.reads import readable_ids
from apps.tenancy.access import Actor
from apps.web.annotations.markdown import INCIDENT, words_in

ID: Final = re.compile(INCIDENT)
SESSIONS_LIMIT: Final = 50


def links_for(
    *, actor: Actor, texts: Iterable[str], session_ids: Collection[int]
) -> Mapping[str, str]:
    """Return word → address of what the actor may read of what these texts name.

    Hosts are those of the sessions of `session_ids`: they stand on the pages of these.
    """
    words = frozenset[str]().union(*(words_in(text) for text in texts))
    if not words:
        return {}
    slug = actor.organization.slug
    known = readable_ids(actor=actor, public_ids=[each for each in words if ID.fullmatch(each)])
    incidents = {each: reverse("web:incident", args=[slug, each]) for each in known}
    return _sessions(actor, words, session_ids) | incidents


def _sessions(actor: Actor, words: frozenset[str], session_ids: Collection[int]) -> dict[str, str]:
    named = Q(public_id__in=words) | Q(name__in=words) | Q(pk__in=session_ids)
    found = list_sessions(actor=actor).filter(named)[:SESSIONS_LIMIT]
    pages = {
        each.id: reverse("web:session", args=[actor.organization.slug, each.public_id])
        for each in found
    }
    hit = [each for each in found if each.id in session_ids]
    hosts = {
        host: pages[attempt.session_id]
        for attempts in attempts_of(actor=actor, sessions=hit).values()
        for attempt in attempts
        for host in attempt.hosts
    }
    names = {name: pages[each.id] for each in found for name in (each.name, each.public_id)}
    return {word: page for word, page in (hosts | names).items() if word in words}
