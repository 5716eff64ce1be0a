"""The search: every finder that the query asks for, each as far as its reader may read."""

from collections.abc import Callable, Mapping
from typing import Final

from apps.search.finders import annotations, causes, fleet, incidents, lines, reports, warnings
from apps.search.query import read_query
from apps.search.values import Hit, HitGroup, HitKind, LineCoverage, SearchQuery, SearchResult
from apps.tenancy.access import Actor, Right

Finder = Callable[..., tuple[Hit, ...]]
SHOWN, SUGGESTED = 20, 5  # of each kind: on the page, while somebody types
FINDERS: Final[Mapping[HitKind, Finder]] = {
    HitKind.INCIDENT: incidents.find,
    HitKind.SESSION: fleet.find_sessions,
    HitKind.NODE: fleet.find_nodes,
    HitKind.GPU: fleet.find_gpus,
    HitKind.CAUSE: causes.find,
    HitKind.WARNING: warnings.find,
    HitKind.ANNOTATION: annotations.find,
    HitKind.REPORT: reports.find,
}


def search(
    *, actor: Actor, typed: str, limit: int = SHOWN, with_lines: bool = True
) -> SearchResult:
    """Return what the actor's organization may read that holds a text. Needs its scope.

    A query that can't be answered has a problem and no groups.
    """
    actor.require(Right.READ)
    query = read_query(typed)
    if query.problem:
        return SearchResult(query=query, groups=(), lines=None)
    groups = [
        _group(kind, FINDERS[kind](actor=actor, query=query, limit=limit + 1), limit)
        for kind in HitKind
        if kind in FINDERS and kind in query.kinds
    ]
    coverage = None
    if with_lines and HitKind.LINE in query.kinds:
        hits, coverage = lines.find(actor=actor, query=query, limit=limit + 1)
        groups.append(_group(HitKind.LINE, hits, limit))
    return _result(query, groups, coverage)


def _group(kind: HitKind, hits: tuple[Hit, ...], limit: int) -> HitGroup:
    return HitGroup(kind=kind, hits=hits[:limit], has_more=len(hits) > limit)


def _result(
    query: SearchQuery, groups: list[HitGroup], coverage: LineCoverage | None
) -> SearchResult:
    return SearchResult(
        query=query, groups=tuple(each for each in groups if each.hits), lines=coverage
    )
