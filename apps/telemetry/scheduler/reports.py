"""What schedulers and operators tell, and what it touches: joined streams, windows to look at."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime

from apps.fleet import inventory
from apps.fleet.authority.agreed_terms import authority_of
from apps.fleet.authority.project_owners import among_parties
from apps.fleet.authority.rules import PartRefused, Subject
from apps.fleet.inventory import InventoryReport
from apps.fleet.models import Attempt, Cluster
from apps.fleet.parties.cross_party_audit import (
    ASSERTED,
    CONTRADICTED,
    Crossing,
    enter,
    refuse,
    refused_of,
)
from apps.fleet.sessions import session_rows
from apps.fleet.sessions.session_limits import TooManySessions
from apps.fleet.sessions.session_reports import SessionReport
from apps.fleet.sessions.session_rows import OwnerUnknown, Recorded
from apps.telemetry import subscribers
from apps.telemetry.formats.lines.complaints import Complaints
from apps.telemetry.logs import streams
from apps.telemetry.models import TouchedWindow
from apps.telemetry.scheduler.disputed_hosts import settle_hosts
from apps.telemetry.scheduler.exclusion_reports import record_left_out
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

PART_REFUSED = "part_refused"
TOO_MANY_SESSIONS = "too-many-sessions"


def record_sessions(
    *,
    reporter: Organization,
    reports: Sequence[tuple[Cluster, SessionReport]],
    complaints: Complaints,
    now: datetime,
) -> int:
    """Merge reports into sessions, join what waited for them, return how many were taken.

    One transaction: durable when it returns. Idempotent, whatever the order. Raises PartRefused
    where the reporter's part may tell of none of them.
    """
    touched: list[tuple[Cluster, Attempt]] = []
    crossings: list[Crossing] = []
    refused: PartRefused | None = None
    refused_names: dict[Cluster, list[str]] = defaultdict(list)
    with organization_scope(reporter.pk):
        for number, (cluster, report) in enumerate(reports, start=1):
            try:
                told = session_rows.record_report(
                    cluster=cluster, reporter=reporter, report=report, now=now
                )
            except OwnerUnknown as error:
                complaints.add(line=number, code="owner_unknown", detail=str(error))
            except TooManySessions as error:
                complaints.add(line=number, code=TOO_MANY_SESSIONS, detail=str(error))
            except PartRefused as error:
                refused = error
                complaints.add(line=number, code=PART_REFUSED, detail=str(error))
                refused_names[cluster].append(report.session)
            else:
                touched.append((cluster, told.attempt))
                record_left_out(cluster=cluster, reporter=reporter, report=report, now=now)
                crossings += crossings_of(reporter=reporter, cluster=cluster, told=told)
        also = _settled(touched=touched, now=now)
        _follow_up(reporter=reporter, touched=[*touched, *also], now=now)
        for cluster, names in refused_names.items():
            crossings.append(
                refuse(by=reporter, cluster=cluster, what=Subject.SESSION, names=names, now=now)
            )
        enter(crossings=crossings, now=now)
    if refused is not None and not touched:
        raise refused
    return len(touched)


def require_reporter(
    *, reporter: Organization, reports: Sequence[tuple[Cluster, SessionReport]], now: datetime
) -> None:
    """Raise PartRefused for a reporter whose part in one of the clusters tells of no session.

    For what is carried out later; the refusal is on record with the first sessions it names.
    """
    names: dict[Cluster, list[str]] = defaultdict(list)
    for cluster, report in reports:
        names[cluster].append(report.session)
    for cluster, told in names.items():
        with among_parties(cluster):
            authority = authority_of(cluster_id=cluster.pk)
        try:
            session_rows.may_report(authority=authority, reporter=reporter)
        except PartRefused:
            with organization_scope(reporter.pk):
                refused = refuse(
                    by=reporter, cluster=cluster, what=Subject.SESSION, names=told, now=now
                )
                enter(crossings=[refused], now=now)
            raise


def record_inventory(
    *,
    organization: Organization,
    cluster: Cluster,
    report: InventoryReport,
    complaints: Complaints,
    now: datetime,
) -> int:
    """Write an inventory and return how many entries were taken. Durable when it returns.

    What is not for the organization's part to say is left out; raises PartRefused if all of it is.
    """
    with organization_scope(organization.pk):
        allowed = inventory.permitted(cluster=cluster, organization=organization, report=report)
        for subject, count in allowed.refused.items():
            detail = f"{count} left out: {allowed.why(subject)}"
            complaints.add(line=0, code=PART_REFUSED, detail=detail)
        if allowed.refused:
            refused = refused_of(by=organization, cluster=cluster, what="inventory", now=now)
            enter(crossings=[refused], now=now)
        unknown = inventory.record(
            cluster=cluster, organization=organization, report=allowed.report, now=now
        )
    if allowed.refused and not allowed.report.count:
        raise PartRefused(allowed.why(next(iter(allowed.refused))))
    for project in unknown:
        # Which of these is nobody's business but the map's.
        detail = f"project {project!r} of {cluster.slug} can't be mapped so by this credential"
        complaints.add(line=0, code="project_unknown", detail=detail)
    return allowed.report.count - len(unknown)


def crossings_of(*, reporter: Organization, cluster: Cluster, told: Recorded) -> Iterator[Crossing]:
    """Yield what both sides read of a report about another's session, and of a contradiction."""
    attempt = told.attempt
    subject = f"{attempt.session.public_id} #{attempt.number}"
    is_foreign = attempt.organization_id != reporter.pk
    actions = [ASSERTED] if is_foreign and told.is_first_of_reporter else []
    actions += [CONTRADICTED] if told.contradicts else []
    others = Organization.objects.filter(slug__in=told.contradicts).values_list("pk", flat=True)
    for action in actions:
        keepers = {reporter.pk, attempt.organization_id}
        keepers |= {*others} if action == CONTRADICTED else set()
        for keeper_id in keepers:
            yield Crossing(
                keeper_id=keeper_id, action=action, by=reporter, cluster=cluster, subject=subject
            )


def _settled(
    *, touched: Sequence[tuple[Cluster, Attempt]], now: datetime
) -> list[tuple[Cluster, Attempt]]:
    """Return others' attempts whose hosts are claims now that more is known of these hosts."""
    by_cluster: dict[Cluster, dict[int, Attempt]] = defaultdict(dict)
    for cluster, attempt in touched:
        by_cluster[cluster][attempt.pk] = attempt
    return [
        (cluster, each)
        for cluster, rows in by_cluster.items()
        for each in settle_hosts(cluster=cluster, attempts=list(rows.values()), now=now)
        if each.pk not in rows
    ]


def _follow_up(
    *, reporter: Organization, touched: Sequence[tuple[Cluster, Attempt]], now: datetime
) -> None:
    """Join waiting streams of every party, and say what should be looked at again."""
    by_cluster: dict[Cluster, set[str]] = {}
    for cluster, attempt in touched:
        names = by_cluster.setdefault(cluster, set())
        names |= {attempt.session.name, attempt.session.job, *attempt.session.aliases} - {""}
    for cluster, names in by_cluster.items():
        for party in parties_of(cluster_id=cluster.pk):
            with organization_scope(party):
                streams.join_told_sessions(organization_id=party, cluster=cluster, names=names)
        subscribers.on_commit(organization_id=reporter.pk, cluster_id=cluster.pk)
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


def look_again(*, organization_id: int, attempts: Sequence[Attempt], now: datetime) -> None:
    """Have attempts looked at again whose hosts are others' word now. Needs the scope."""
    for attempt in attempts:
        settle_hosts(cluster=attempt.session.cluster, attempts=[attempt], now=now)
    TouchedWindow.objects.bulk_create(
        TouchedWindow(
            organization_id=organization_id,
            cluster_id=attempt.session.cluster_id,
            session_id=attempt.session_id,
            attempt=attempt,
            created_at=now,
        )
        for attempt in attempts
    )
    for cluster_id in sorted({attempt.session.cluster_id or 0 for attempt in attempts}):
        subscribers.on_commit(organization_id=organization_id, cluster_id=cluster_id)
