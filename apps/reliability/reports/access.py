"""Doors to reports: anything named by an id from outside goes through here."""

from collections.abc import Mapping
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from apps.fleet.values import cluster_name
from apps.reliability.models import Report, ReportSchedule
from apps.reliability.period.scopes import Audience
from apps.reliability.reports.counting.changes import Change, ChangeKind
from apps.reliability.reports.report_values import ReportHead, ReportView
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.values import name_of


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


def head_of(row: Report) -> ReportHead:
    """Return what a list says of a report."""
    return ReportHead(
        public_id=row.public_id,
        revision=row.revision,
        audience=Audience(row.audience),
        cluster=cluster_name(row.cluster),
        starts_at=row.starts_at,
        ends_at=row.ends_at,
        digest=row.digest,
        issuer=name_of(row.issuer),
        issuer_name=row.issuer_name,
        issued_at=row.issued_at,
        is_simulated=row.is_simulated,
    )


def view_of(row: Report, *, newest_revision: int) -> ReportView:
    """Return a revision as it was issued."""
    return ReportView(
        head=head_of(row),
        document=row.document,
        changes=tuple(map(_change, row.changes)),
        newest_revision=newest_revision,
    )


def _change(stored: Mapping[str, Any]) -> Change:
    return Change(**{**stored, "kind": ChangeKind(stored["kind"])})
