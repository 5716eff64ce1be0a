"""Reports that the organization has, by id, cluster and day."""

from apps.reliability.facade.reports import list_reports
from apps.reliability.reports.report_values import ReportHead
from apps.search.values import Hit, HitKind, SearchQuery
from apps.tenancy.access import Actor

LOOKED_THROUGH = 200  # the newest: years of weekly ones


def find(*, actor: Actor, query: SearchQuery, limit: int) -> tuple[Hit, ...]:
    """Return the newest reports one of whose names holds the text."""
    text = query.text.casefold()
    heads = list_reports(actor=actor)[:LOOKED_THROUGH]
    found = (each for each in heads if any(text in name.casefold() for name in _names(each)))
    return tuple(map(_hit, found))[:limit]


def _names(head: ReportHead) -> tuple[str, ...]:
    cluster = (head.cluster.slug, head.cluster.name) if head.cluster else ()
    return (head.public_id, head.first_day.isoformat(), head.last_day.isoformat(), *cluster)


def _hit(head: ReportHead) -> Hit:
    return Hit(
        kind=HitKind.REPORT,
        id=head.public_id,
        title=f"{head.first_day.isoformat()} to {head.last_day.isoformat()}",
        detail=head.cluster.name if head.cluster else "",
        cluster=head.cluster.slug if head.cluster else "",
        at=head.issued_at,
    )
