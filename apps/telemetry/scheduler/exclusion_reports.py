"""What is told of nodes that are left out, and what stands of it in the audit record."""

from contextlib import suppress
from datetime import datetime

from apps.fleet.authority.rules import PartRefused, Subject
from apps.fleet.exclusions import exclusion_rows
from apps.fleet.exclusions.exclusion_report import (
    ExclusionBatch,
    ExclusionIntake,
    ExclusionReport,
)
from apps.fleet.models import Cluster, ExclusionKind
from apps.fleet.parties.cross_party_audit import enter, refuse
from apps.fleet.sessions.session_reports import SessionReport
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope


def record_exclusions(
    *, reporter: Organization, cluster: Cluster, batch: ExclusionBatch, now: datetime
) -> ExclusionIntake:
    """Write exclusions and returns; return what came of them. Durable when it returns.

    Idempotent, whatever the order. Raises PartRefused where the reporter may say none of it, and
    TooManyExclusions.
    """
    with organization_scope(reporter.pk):
        try:
            return exclusion_rows.record(cluster=cluster, reporter=reporter, batch=batch, now=now)
        except PartRefused as error:
            named = {each.session for each in batch.exclusions}
            names = (named | {each.session for each in batch.returns}) - {""}
            told = refuse(
                by=reporter, cluster=cluster, what=Subject.EXCLUSIONS, names=names, now=now
            )
            enter(crossings=[told], now=now)
            refused = error
    raise refused


def record_left_out(
    *, cluster: Cluster, reporter: Organization, report: SessionReport, now: datetime
) -> None:
    """Write which nodes a job asked not to run on, as a report of its session tells.

    Needs the reporter's scope. Without a time it is when the report came.
    """
    if report.excluded:
        batch = ExclusionBatch(
            exclusions=tuple(
                ExclusionReport(
                    host=host, kind=ExclusionKind.JOB, at=report.at or now, session=report.session
                )
                for host in report.excluded
            )
        )
        # What is told of the session itself counts, however much of this is kept already.
        with suppress(exclusion_rows.TooManyExclusions):
            exclusion_rows.record(cluster=cluster, reporter=reporter, batch=batch, now=now)
