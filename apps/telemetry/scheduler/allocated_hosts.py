"""Where a session runs, by the scheduler's own log: `Allocate JobId=4711 NodeList=gpu[001-004]`.

The log of who runs the scheduler confirms the hosts of that job. A job's number alone says nothing
of whose it is: it counts for a session that who runs the cluster told of, or where one tenant alone
has ever been.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from django.db.models import Q

from apps.diagnosis.model import Mark, Stream
from apps.diagnosis.reasoning.scope.jobs.node_lists import NodeLists
from apps.diagnosis.signatures.marks import marked
from apps.fleet.authority.agreed_terms import Authority, authority_of
from apps.fleet.authority.rules import SenderStanding, Subject
from apps.fleet.hosts.host_names import short
from apps.fleet.models import Attempt, ParticipationRole, Session
from apps.fleet.parties.cross_party_audit import enter
from apps.fleet.sessions.report_merging import Reporter, merge
from apps.fleet.sessions.session_reports import SessionReport
from apps.fleet.sessions.session_rows import MOST_HOSTS, Recorded
from apps.telemetry.models import Event
from apps.telemetry.scheduler.reports import crossings_of
from apps.tenancy.lookups import parties_ever_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

ALLOCATED: Final = marked(Mark.ALLOCATED)
# A job's number, of an array's task `4711_3(4714)`, of a part of a heterogeneous job `4711+1`.
JOB: Final = re.compile(
    r"JobId=(?P<job>\d{1,12})(?:_(?P<task>\d{1,9})(?:\((?P<own>\d{1,12})\))?|\+(?P<part>\d{1,4}))?"
    r"(?=\(| )",
    re.ASCII,
)
NAME: Final = re.compile(r"\d{1,12}(?:_\d{1,9})?", re.ASCII)
# A job waits in no log for longer between its nodes and its first line.
BEFORE: Final = timedelta(days=30)
# The parts of a heterogeneous job get their nodes one after the other.
TOGETHER: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """The nodes that a scheduler gave a job, and when, by the clock of whoever told it."""

    organization_id: int
    at: datetime
    is_zoned: bool
    nodes: frozenset[str]


def with_confirmed_hosts(*, attempt: Attempt, now: datetime) -> Attempt:
    """Return the attempt with the hosts that the scheduler's log confirms, if it does.

    Opens the scope of the cluster's parties, in a transaction of its own.
    """
    session = attempt.session
    if session.cluster is None or attempt.hosts_asserted or not _is_job(session):
        return attempt
    parties = parties_ever_of(cluster_id=session.cluster.pk)
    with organization_scope(attempt.organization_id, *parties):
        authority = authority_of(cluster_id=session.cluster.pk)
        if not (session.is_asserted or _is_only_tenant(authority, attempt.organization_id)):
            return attempt
        chosen = _chosen(attempt, list(_allocations(attempt, authority)))
        if not chosen:
            return attempt
        told, reporter = _merged(attempt, chosen, now)
        crossings = crossings_of(reporter=reporter, cluster=session.cluster, told=told)
        enter(crossings=crossings, now=now)
    return told.attempt


def _is_job(session: Session) -> bool:
    """Say whether a session is called as Slurm calls its jobs; other schedulers count, too."""
    is_slurms = session.scheduler.lower() in {"", "slurm"}
    return is_slurms and NAME.fullmatch(session.name) is not None


def _is_only_tenant(authority: Authority, organization_id: int) -> bool:
    tenants = {
        each.organization_id for each in authority.terms if each.part is ParticipationRole.TENANT
    }
    return tenants == {organization_id}


def _allocations(attempt: Attempt, authority: Authority) -> Iterable[Allocation]:
    name = attempt.session.name
    of_job = Q(body__fields__job=name.partition("_")[0]) | Q(body__text__icontains=f"({name})")
    rows = Event.objects.filter(
        of_job,
        cluster=attempt.session.cluster_id,
        organization__in=list(authority.asserting(Subject.SCHEDULER)),
        stream__kind=Stream.SCHEDULER,
        signature__in=ALLOCATED,
        received_at__gte=attempt.session.created_at - BEFORE,
    )
    lists = NodeLists()
    for row in rows.order_by("received_at", "order_key", "id"):
        is_asserted = authority.asserts(
            organization_id=row.organization_id, subject=Subject.SCHEDULER, at=row.received_at
        )
        if is_asserted and name in _names(row.body["text"]):
            yield _allocation(row, lists)


def _names(text: str) -> frozenset[str]:
    """Return what a session may be called whose nodes a line names."""
    found = JOB.search(text)
    if found is None:
        return frozenset()
    if found["task"] is None:
        return frozenset({found["job"]})
    return frozenset({f"{found['job']}_{found['task']}", found["own"] or ""})


def _allocation(row: Event, lists: NodeLists) -> Allocation:
    nodes = lists.nodes_of(str(row.body["fields"].get("nodes", "")))
    return Allocation(
        organization_id=row.organization_id,
        at=row.at or row.local_at or row.received_at,
        is_zoned=row.at is not None or row.local_at is None,
        nodes=frozenset(short(name=each) for each in nodes),
    )


def _chosen(attempt: Attempt, found: Sequence[Allocation]) -> list[Allocation]:
    """Return what the attempt was given: the last before its end, and what belongs to that.

    Of a session that was started several times only what a clock with a zone tells apart.
    """
    is_one_of_several = attempt.session.attempts.exclude(pk=attempt.pk).exists()
    if is_one_of_several:
        found = [each for each in found if each.is_zoned and _is_within(attempt, each.at)]
    ended_at = attempt.ended_at or datetime.max.replace(tzinfo=UTC)
    fitting = [each for each in found if not each.is_zoned or each.at <= ended_at]
    last = max(fitting, key=lambda each: each.at, default=None)
    return [each for each in fitting if last and last.at - each.at <= TOGETHER]


def _is_within(attempt: Attempt, at: datetime) -> bool:
    if attempt.started_at is None:
        return False
    return at >= attempt.started_at - TOGETHER


def _merged(
    attempt: Attempt, chosen: Sequence[Allocation], now: datetime
) -> tuple[Recorded, Organization]:
    reporter = Organization.objects.get(pk=chosen[-1].organization_id)
    nodes = sorted(frozenset[str]().union(*(each.nodes for each in chosen)))
    rows = Attempt.objects.select_related("session__cluster").select_for_update(of=("self",))
    locked = rows.get(pk=attempt.pk)
    is_first = all(said[0] != reporter.slug for said in locked.field_sources.values())
    contradicts = merge(
        attempt=locked,
        report=SessionReport(
            session=attempt.session.name, at=chosen[-1].at, hosts=tuple(nodes[:MOST_HOSTS])
        ),
        reporter=Reporter(
            slug=reporter.slug,
            standing=SenderStanding.ASSERTED,
            of_hosts=SenderStanding.ASSERTED,
            now=now,
        ),
    )
    told = Recorded(
        attempt=locked, is_first_of_reporter=is_first, contradicts=frozenset(contradicts)
    )
    return told, reporter
