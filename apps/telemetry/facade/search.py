"""Warnings and log lines of an organization that hold a text. Each needs the actor's scope."""

from collections.abc import Collection
from typing import Final

from django.db.models import Q

from apps.telemetry.logs import line_search
from apps.telemetry.logs.line_search import LineSearch
from apps.telemetry.logs.raw_lines import RawLine, lines_around
from apps.telemetry.metrics.warning_access import access_episodes
from apps.telemetry.retention.citation_keys import line_place
from apps.telemetry.values import EpisodeView, episode_view
from apps.tenancy.access import Actor, NotFound

NEIGHBOURS: Final = 20


def find_warnings(
    *, actor: Actor, text: str, host: str = "", causes: Collection[str] = (), limit: int
) -> tuple[EpisodeView, ...]:
    """Return the organization's own warnings and signals that name a text, newest first."""
    wanted = Q(causes__overlap=sorted(causes)) if causes else Q(pk=None)
    if text:
        wanted |= Q(public_id__istartswith=text) | Q(entity_key__icontains=text)
    if name := text or host:
        wanted |= Q(host__icontains=name)
    rows = access_episodes(actor=actor).filter(wanted)[:limit]
    return tuple(map(episode_view, rows))


def find_lines(*, actor: Actor, text: str, limit: int) -> LineSearch:
    """Return the organization's own log lines that hold a text, the newest received first."""
    return line_search.search_lines(actor=actor, text=text, limit=limit)


def line_with_neighbours(*, actor: Actor, reference: str) -> tuple[int, tuple[RawLine, ...]]:
    """Return the number of a line of the organization's own, and it with what stands around it.

    Raises NotFound.
    """
    place = line_place(reference=reference)
    if place is None:
        raise NotFound
    lines = lines_around(actor=actor, stream_id=place[0], number=place[1], margin=NEIGHBOURS)
    if place[1] not in {line.number for line in lines}:
        raise NotFound
    return place[1], lines
