"""Reports as the actor's organization reads and issues them. All of it needs its scope."""

from datetime import datetime
from functools import partial

from apps.fleet.parties.cross_party_acts import ActContext
from apps.fleet.values import cluster_name
from apps.reliability.models import Report
from apps.reliability.period.scopes import Audience, PeriodScope
from apps.reliability.reports import issue as issuing
from apps.reliability.reports.access import access_report, access_reports
from apps.reliability.reports.counting.changes import Change, changes_between
from apps.reliability.reports.issue import Issued
from apps.reliability.reports.report_reads import heads_of, view_of
from apps.reliability.reports.report_values import ReportHead, ReportView
from apps.reliability.reports.signatures import Signing, sign
from apps.tenancy.access import Actor
from apps.tenancy.values import ValueList, name_of


def list_reports(*, actor: Actor) -> ValueList[ReportHead]:
    """Return the newest revision of each report, newest first."""
    return ValueList(rows=access_reports(actor=actor), project=partial(heads_of, actor=actor))


def open_report(*, actor: Actor, public_id: str, revision: int | None = None) -> ReportView:
    """Return a report as it was issued, the newest revision where none is named. Raises NotFound.

    Who left the cluster since keeps what was issued while it took part.
    """
    newest = access_report(actor=actor, public_id=public_id)
    row = newest
    if revision is not None and revision != newest.revision:
        row = access_report(actor=actor, public_id=public_id, revision=revision)
    return view_of(row, actor=actor, newest_revision=newest.revision)


def issue_report(*, context: ActContext, scope: PeriodScope) -> Issued:
    """Issue a report of a period, or return the newest revision where it says the same.

    Raises NotFound, ReportMoved, TooManyReports.
    """
    issuing.require_room(context=context)
    return issuing.issue(context=context, scope=scope)


def issue_again(*, context: ActContext, public_id: str) -> Issued:
    """Count a report's range again; a new revision where something moved.

    Raises NotFound, ReportMoved, TooManyReports.
    """
    issuing.require_room(context=context)
    row = access_report(actor=context.actor, public_id=public_id)
    return issuing.issue(context=context, scope=_scope(context.actor, row))


def sign_report(*, context: ActContext, public_id: str, signing: Signing) -> None:
    """Sign the newest revision for the actor's organization. The same again changes nothing.

    Raises NotFound, ReportMoved, DissentUnexplained, SignedTooOften.
    """
    sign(context=context, public_id=public_id, signing=signing)


def changes_since(*, actor: Actor, public_id: str, now: datetime) -> tuple[Change, ...]:
    """Return what is otherwise now than in the newest revision. Raises NotFound."""
    row = access_report(actor=actor, public_id=public_id)
    context = ActContext(actor=actor, now=now)
    fresh = issuing.counted_document(context=context, scope=_scope(actor, row))
    return tuple(changes_between(row.document, fresh))


def _scope(actor: Actor, row: Report) -> PeriodScope:
    return PeriodScope(
        audience=Audience(row.audience),
        organization=name_of(actor.organization),
        cluster=cluster_name(row.cluster),
        starts_at=row.starts_at,
        ends_at=row.ends_at,
        with_simulated=actor.organization.is_simulated,
    )
