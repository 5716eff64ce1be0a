"""What is told of nodes that are left out, and what stands of it in the audit record."""

from datetime import datetime

from apps.fleet.authority.rules import PartRefused, Subject
from apps.fleet.exclusions import exclusion_rows
from apps.fleet.exclusions.exclusion_report import ExclusionBatch
from apps.fleet.models import Cluster
from apps.fleet.parties.cross_party_audit import enter, refuse
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope


def record_exclusions(
    *, reporter: Organization, cluster: Cluster, batch: ExclusionBatch, now: datetime
) -> int:
    """Write exclusions and returns; return how many entries were taken. Durable when it returns.

    Idempotent, whatever the order. Raises PartRefused where the reporter may say none of it.
    """
    with organization_scope(reporter.pk):
        try:
            return exclusion_rows.record(cluster=cluster, reporter=reporter, batch=batch, now=now)
        except PartRefused as error:
            names = {each.session for each in (*batch.exclusions, *batch.returns)} - {""}
            told = refuse(
                by=reporter, cluster=cluster, what=Subject.EXCLUSIONS, names=names, now=now
            )
            enter(crossings=[told], now=now)
            refused = error
    raise refused
