"""Reports of a week in which incidents of the cast fell."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from apps.fleet.models import Participation, ParticipationRole
from apps.fleet.parties.cross_party_acts import ActContext
from apps.incidents.models import Incident
from apps.reliability.facade.periods import scope_of
from apps.reliability.facade.reports import issue_report, open_report
from apps.reliability.period.scopes import Audience
from apps.reliability.reports.report_values import ReportView
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor, attempt_of, stop_of

# The week of make.AT, a Saturday, and the Monday behind it.
FIRST, LAST = date(2026, 11, 16), date(2026, 11, 22)
AFTER = datetime(2026, 11, 23, 8, tzinfo=UTC)


def context_of(
    organization: Organization, *, role: MemberRole = MemberRole.ADMIN, now: datetime = AFTER
) -> ActContext:
    """Return who acts for an organization."""
    return ActContext(actor=actor(organization, role), now=now)


def issued(
    organization: Organization,
    *,
    audience: Audience = Audience.OWN,
    cluster: str | None = None,
    now: datetime = AFTER,
) -> ReportView:
    """Issue the report of the week, or find the one that stands, and open it."""
    context = context_of(organization, now=now)
    with organization_scope(organization.pk):
        scope = scope_of(
            actor=context.actor, audience=audience, cluster=cluster, first_day=FIRST, last_day=LAST
        )
        found = issue_report(context=context, scope=scope)
        return open_report(actor=context.actor, public_id=found.public_id)


def stops(cast: Cast, *, count: int = 3, **header: Any) -> list[Incident]:
    """Make incidents of the tenant's sessions in that week, an hour apart."""
    return [
        stop_of(
            cast,
            attempt_of(cast, cast.tenant, started_at=make.AT - timedelta(hours=each + 1)),
            **header,
        )
        for each in range(count)
    ]


def leave_one_tenant(cast: Cast) -> None:
    """Take the other tenant's part: then the cluster has one."""
    with organization_scope(*cast.ids):
        Participation.objects.filter(
            cluster=cast.cluster,
            organization=cast.other_tenant,
            part=ParticipationRole.TENANT,
        ).delete()


def figure(report: ReportView, key: str) -> Any:
    """Return a figure of a report."""
    return next(each for each in report.document["figures"] if each["key"] == key)


def rows(report: ReportView, key: str) -> Any:
    """Return the rows of one of its tables."""
    return next(each["rows"] for each in report.document["tables"] if each["key"] == key)
