"""Log lines that the organization itself holds."""

from apps.search.values import Hit, HitKind, LineCoverage, SearchQuery
from apps.telemetry.facade.search import find_lines
from apps.tenancy.access import Actor


def find(*, actor: Actor, query: SearchQuery, limit: int) -> tuple[tuple[Hit, ...], LineCoverage]:
    """Return the newest lines that hold the text as it is written, and how far was looked."""
    text = f"): {query.xid}," if query.xid is not None else query.text
    found = find_lines(actor=actor, text=text, limit=limit)
    hits = tuple(
        Hit(
            kind=HitKind.LINE,
            id=each.reference,
            title=each.text.strip(),
            detail=each.stream,
            host=each.host,
            session=each.session,
            at=each.at,
        )
        for each in found.lines
    )
    return hits, LineCoverage(
        line_count=found.line_count, is_whole=found.is_whole, reached=found.reached
    )
