"""Reports of changes → rows, each key once; and the rows of one organization."""

import secrets
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Final

from django.db.models import F, Func, IntegerField, Q, QuerySet, Sum

from apps.fleet.changes.change_report import LIMITS, ChangeIntake, ChangeReport
from apps.fleet.changes.change_values import ChangeView
from apps.fleet.hosts.host_names import short
from apps.fleet.models import ChangedThing, Cluster, ClusterChange
from apps.secret_shapes import hide_shapes
from apps.tenancy.database import advisory_locks
from apps.tenancy.database.advisory_locks import Lock
from apps.tenancy.models import Organization
from apps.tenancy.values import name_of

SAID: Final = (
    *("kind", "layer", "starts_at", "ends_at", "hosts", "title", "before", "after"),
    *("reference", "url", "by"),
)
MOST_KEPT: Final = 20_000  # of one organization in one cluster
MOST_NAMED: Final = 1_000_000  # hosts that these name together
MOST_READ: Final = 1000  # the newest: a page stays quick whatever was told


class TooManyChanges(Exception):
    """More changes are told than are kept of an organization in a cluster."""


def record(
    *,
    cluster: Cluster,
    reporter: Organization,
    reports: Sequence[ChangeReport],
    now: datetime,
) -> ChangeIntake:
    """Write what an organization says that it changed. Needs its scope. Raises TooManyChanges.

    What a key said last holds; the same said again changes nothing.
    """
    told = {each.key: each for each in reports}
    advisory_locks.hold(Lock.CLUSTER_CHANGES, reporter.pk)  # two at once know of each other's keys
    own = ClusterChange.objects.for_organization(reporter).filter(cluster=cluster)
    known = {row.key: row for row in own.filter(key__in=told)}
    fresh = [_row(each, cluster, reporter, now) for key, each in told.items() if key not in known]
    if fresh and own.count() + len(fresh) > MOST_KEPT:
        raise TooManyChanges(
            f"{MOST_KEPT} changes are kept of an organization in a cluster, and more were sent; "
            "what is kept stays until its time is over"
        )
    if told and _named(own.exclude(key__in=told)) + _count(told.values()) > MOST_NAMED:
        raise TooManyChanges(
            f"changes of an organization in a cluster name at most {MOST_NAMED} hosts together, "
            "and these name more; one without hosts is of the whole cluster"
        )
    ClusterChange.objects.bulk_create(fresh)
    updated = [row for key, row in known.items() if _take(row, told[key])]
    ClusterChange.objects.bulk_update(updated, SAID, batch_size=500)
    return ChangeIntake(
        accepted_count=len(reports), new_count=len(fresh), updated_count=len(updated)
    )


def withdraw(*, cluster: Cluster, owner: Organization, public_id: str) -> bool:
    """Take back what an organization told; return whether it was there. Needs its scope."""
    own = ClusterChange.objects.for_organization(owner).filter(cluster=cluster)
    count, _ = own.filter(public_id=public_id).delete()
    return bool(count)


def between(
    *,
    organization_id: int,
    cluster: Cluster,
    since: datetime,
    until: datetime,
    layers: Collection[str] | None = None,
) -> QuerySet[ClusterChange]:
    """Return the newest changes of an organization that began before `until` and were not over
    before `since`, of these layers if any are named. Needs its scope.
    """
    lasts = Q(starts_at__gte=since) | Q(ends_at__gte=since)
    own = ClusterChange.objects.for_organization(organization_id).filter(
        lasts, cluster=cluster, starts_at__lt=until
    )
    if layers is not None:
        own = own.filter(layer__in=layers)
    rows = own.select_related("organization")
    return rows.order_by(F("starts_at").desc(), F("id").desc())[:MOST_READ]


def change_view(row: ClusterChange, *, reader_id: int) -> ChangeView:
    """Return a change as its owner reads it."""
    return ChangeView(
        id=row.public_id,
        teller=name_of(row.organization),
        is_own=row.organization_id == reader_id,
        kind=ChangedThing(row.kind),
        layer=row.layer,
        starts_at=row.starts_at,
        ends_at=row.ends_at,
        hosts=tuple(row.hosts),
        title=row.title,
        before=row.before,
        after=row.after,
        reference=row.reference,
        url=row.url,
        by=row.by,
        key=row.key if row.organization_id == reader_id else "",
    )


def _named(rows: QuerySet[ClusterChange]) -> int:
    count = Func(F("hosts"), function="cardinality", output_field=IntegerField())
    return int(rows.aggregate(named=Sum(count))["named"] or 0)


def _count(reports: Iterable[ChangeReport]) -> int:
    return sum(len(each.hosts) for each in reports)


def _row(
    report: ChangeReport, cluster: Cluster, reporter: Organization, now: datetime
) -> ClusterChange:
    row = ClusterChange(
        organization=reporter,
        public_id="CHG-" + secrets.token_hex(5).upper(),
        cluster=cluster,
        key=report.key,
        received_at=now,
    )
    _take(row, report)
    return row


def _take(row: ClusterChange, report: ChangeReport) -> bool:
    """Write into a row what a report says; return whether anything differs."""
    said = {name: getattr(report, name) for name in SAID}
    said |= {"kind": str(report.kind), "layer": str(report.layer)}
    # A commit's title or an address may hold what opens a door.
    said |= {name: hide_shapes(said[name])[:most] for name, most in LIMITS.items() if name in said}
    said["hosts"] = sorted({short(name=host) for host in report.hosts})
    differs = any(getattr(row, name) != value for name, value in said.items())
    for name, value in said.items():
        setattr(row, name, value)
    return differs
