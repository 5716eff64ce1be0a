"""What schedulers and operators tell, and what it touches: joined streams, windows to look at."""

from collections.abc import Sequence
from datetime import datetime

from apps.fleet import inventory, sessions
from apps.fleet.inventory import InventoryReport
from apps.fleet.models import Attempt, Cluster
from apps.fleet.sessions import OwnerUnknown, SessionReport
from apps.telemetry import streams, wake
from apps.telemetry.formats.lines import Complaints
from apps.telemetry.models import TouchedWindow
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope


def record_sessions(
    *,
    reporter: Organization,
    reports: Sequence[tuple[Cluster, SessionReport]],
    complaints: Complaints,
    now: datetime,
) -> int:
    """Merge reports into sessions, join what waited for them, return how many were taken.

    One transaction: durable when it returns. Idempotent, whatever the order.
    """
    touched: list[tuple[Cluster, Attempt]] = []
    with organization_scope(reporter.pk):
        for number, (cluster, report) in enumerate(reports, start=1):
            try:
                attempt = sessions.record_report(
                    cluster=cluster, reporter=reporter, report=report, now=now
                )
            except OwnerUnknown as error:
                complaints.add(line=number, code="owner-unknown", detail=str(error))
            else:
                touched.append((cluster, attempt))
        _follow_up(reporter=reporter, touched=touched, now=now)
    return len(touched)


def record_inventory(
    *,
    organization: Organization,
    cluster: Cluster,
    report: InventoryReport,
    complaints: Complaints,
    now: datetime,
) -> int:
    """Write an inventory and return how many entries were taken. Durable when it returns."""
    with organization_scope(organization.pk):
        unknown = inventory.record(
            cluster=cluster, organization=organization, report=report, now=now
        )
    for project in unknown:
        # Which of these is nobody's business but the map's.
        detail = f"project {project!r} of {cluster.slug} can't be mapped so by this credential"
        complaints.add(line=0, code="project-unknown", detail=detail)
    entries = (report.nodes, report.links, report.mounts, report.projects)
    return sum(len(each) for each in entries) - len(unknown)


def _follow_up(
    *, reporter: Organization, touched: Sequence[tuple[Cluster, Attempt]], now: datetime
) -> None:
    """Join waiting streams of every party, and say what should be looked at again."""
    by_cluster: dict[Cluster, set[str]] = {}
    for cluster, attempt in touched:
        names = by_cluster.setdefault(cluster, set())
        names |= {attempt.session.name, attempt.session.job} - {""}
    for cluster, names in by_cluster.items():
        for party in parties_of(cluster_id=cluster.pk):
            with organization_scope(party):
                streams.join_told_sessions(organization_id=party, cluster=cluster, names=names)
        wake.on_commit(organization_id=reporter.pk, cluster_id=cluster.pk)
    TouchedWindow.objects.bulk_create(
        [
            TouchedWindow(
                organization=reporter,
                cluster=cluster,
                session_id=attempt.session_id,
                attempt=attempt,
                created_at=now,
            )
            for cluster, attempt in touched
        ]
    )
