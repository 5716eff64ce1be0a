"""Doors to reports: anything named by an id from outside goes through here."""

from django.db.models import OuterRef, QuerySet, Subquery

from apps.reliability.models import Report, ReportSchedule
from apps.tenancy.access import Actor, NotFound, Right


def access_reports(*, actor: Actor) -> QuerySet[Report]:
    """Return the newest revision of each report of the actor's organization, newest first."""
    own = _own(actor)
    newest = own.filter(public_id=OuterRef("public_id")).order_by("-revision")
    found = own.filter(pk=Subquery(newest.values("pk")[:1]))
    return found.order_by("-issued_at", "-id")


def access_report(*, actor: Actor, public_id: str, revision: int | None = None) -> Report:
    """Return a revision of a report, the newest where none is named. Raises NotFound."""
    found = _own(actor).filter(public_id=public_id).order_by("-revision")
    if revision is not None:
        found = found.filter(revision=revision)
    row = found.first()
    if row is None:
        raise NotFound
    return row


def access_schedule(*, actor: Actor, public_id: str, right: Right = Right.READ) -> ReportSchedule:
    """Return one of the actor's schedules. Raises NotFound."""
    actor.require(right)
    rows = ReportSchedule.objects.for_organization(actor.organization).select_related("cluster")
    row = rows.filter(public_id=public_id).first()
    if row is None:
        raise NotFound
    return row


def _own(actor: Actor) -> QuerySet[Report]:
    actor.require(Right.READ)
    rows = Report.objects.for_organization(actor.organization)
    return rows.select_related("cluster", "issuer")
