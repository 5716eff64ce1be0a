"""Issuing the reports of an organization that are due by their schedules, and telling of them."""

from datetime import datetime

from apps.fleet.access import takes_part
from apps.fleet.parties.cross_party_acts import ActContext
from apps.fleet.values import cluster_name
from apps.reliability.models import ReportSchedule
from apps.reliability.period.scopes import Audience, PeriodScope
from apps.reliability.reports.access import access_report
from apps.reliability.reports.issue import issue
from apps.reliability.reports.report_notices import tell
from apps.reliability.reports.report_reads import head_of
from apps.reliability.reports.schedules import last_range
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.tenancy.values import name_of


def issue_due(*, organization_id: int, now: datetime) -> list[str]:
    """Issue what is due of an organization, once for each range; return the ids of the reports.

    Of ranges that passed while nobody worked the last one is issued.
    """
    organization = Organization.objects.get(pk=organization_id)
    issued = []
    with organization_scope(organization_id):
        rows = ReportSchedule.objects.for_organization(organization_id)
        for row in rows.select_related("cluster").select_for_update(of=("self",)).order_by("id"):
            starts_at, ends_at = last_range(row.rhythm, now=now)
            if row.issued_until >= ends_at:
                continue
            row.issued_until = ends_at
            row.save(update_fields=["issued_until"])
            if _may_still(row):
                issued.append(_issue(organization, row, starts_at, ends_at, now))
    return issued


def _may_still(row: ReportSchedule) -> bool:
    """Say whether the organization still takes part in the cluster it asks of."""
    return row.cluster_id is None or takes_part(
        organization_id=row.organization_id, cluster_id=row.cluster_id
    )


def _issue(
    organization: Organization,
    row: ReportSchedule,
    starts_at: datetime,
    ends_at: datetime,
    now: datetime,
) -> str:
    actor = Actor(organization=organization, rights=frozenset({Right.READ, Right.ACT}))
    scope = PeriodScope(
        audience=Audience(row.audience),
        organization=name_of(organization),
        cluster=cluster_name(row.cluster),
        starts_at=starts_at,
        ends_at=ends_at,
        with_simulated=organization.is_simulated,
    )
    issued = issue(context=ActContext(actor=actor, now=now), scope=scope)
    report = access_report(actor=actor, public_id=issued.public_id, revision=issued.revision)
    tell(organization=organization, report=head_of(report), schedule=row, now=now)
    return issued.public_id
