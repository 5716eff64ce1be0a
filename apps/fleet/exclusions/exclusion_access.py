"""Which exclusions an organization reads, and how much of each.

Who runs the cluster reads all of them. A tenant reads what it told itself and what is told of its
jobs; of its nodes, and of all nodes that are left out now, that they are: never by whom, why or
for whose session. A vendor reads the same of nodes that it is known to read of otherwise.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.db.models import CharField, F, Func, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from apps.fleet.access import access_sessions, parts_in
from apps.fleet.authority.rules import SenderStanding
from apps.fleet.exclusions.exclusion_values import ExclusionView
from apps.fleet.exclusions.told_exclusion import ToldExclusion
from apps.fleet.hosts import host_names
from apps.fleet.models import (
    Attempt,
    Cluster,
    ExclusionKind,
    NodeExclusion,
    ParticipationRole,
    Session,
)
from apps.tenancy.access import Actor, Right
from apps.tenancy.lookups import parties_ever_of
from apps.tenancy.models import Organization
from apps.tenancy.one_reading import read_once
from apps.tenancy.scope import organization_scope
from apps.tenancy.values import OrganizationName, name_of

# The newest: a page stays quick whatever was told of a cluster.
MOST: Final = 5000
# Of what one party claims: nobody's claims are in the way of what others tell.
MOST_CLAIMED: Final = 1000
RUNS: Final = frozenset({ParticipationRole.OPERATOR, ParticipationRole.PLATFORM})


@dataclass(frozen=True, slots=True, kw_only=True)
class _ExclusionReader:
    """What decides how much of an exclusion somebody reads."""

    organization_id: int
    runs: bool
    is_tenant: bool
    hosts: frozenset[str]  # that it knows otherwise
    jobs: frozenset[str]  # names of its own sessions
    now: datetime

    def reads_whole(self, row: ToldExclusion) -> bool:
        """Say whether it reads everything that was told."""
        is_own_job = bool(row.session) and row.session in self.jobs
        return self.runs or row.organization_id == self.organization_id or is_own_job

    def reads(self, row: ToldExclusion, host: str) -> bool:
        """Say whether it reads at least that the node was left out."""
        if self.reads_whole(row):
            return True
        if row.standing != SenderStanding.ASSERTED or row.kind == ExclusionKind.JOB:
            return False
        is_now = row.ends_at is None or row.ends_at > self.now
        return host in self.hosts or (self.is_tenant and is_now)


def access_exclusions(  # noqa: PLR0913  where, when, and what the reader knows
    *,
    actor: Actor,
    cluster: Cluster,
    since: datetime,
    until: datetime,
    now: datetime,
    known_hosts: Collection[str] = (),
    parts: Collection[str] | None = None,
) -> tuple[ExclusionView, ...]:
    """Return the exclusions between two instants that the actor reads, the newest first.

    `cluster` came through a door. `known_hosts` are nodes that the reader sees blamed, which says
    nothing to a tenant, whose own log may blame any; `parts` are those in which it takes part,
    where they were read before. Needs the actor's scope.
    """
    actor.require(Right.READ)
    ever = read_once(
        ("parties ever", actor.organization.pk, cluster.pk),
        partial(parties_ever_of, cluster_id=cluster.pk),
    )
    with organization_scope(*ever):
        told = _rows(cluster, since, until)
        if not told:  # most spans of most clusters
            return ()
        aliases = host_names.alias_table(cluster_id=cluster.pk, reader_id=actor.organization.pk)
        tellers = _tellers(told)
        rows = _once_a_job(_of_jobs_that_are_theirs(cluster, told))
    if parts is None:
        parts = {row.part for row in parts_in(actor=actor, cluster=cluster)}
    reader = _reader(actor, cluster, known_hosts, frozenset(parts), now, aliases)
    shown = [
        (row, host)
        for row in rows
        if row.organization_id in tellers
        and reader.reads(row, host := host_names.resolve(name=row.host, aliases=aliases))
    ]
    sessions = _session_ids(actor, cluster, {row.session for row, _ in shown} - {""})
    return tuple(
        _view(row, host, tellers[row.organization_id], reader, sessions) for row, host in shown
    )


def _reader(
    actor: Actor,
    cluster: Cluster,
    known_hosts: Iterable[str],
    parts: frozenset[str],
    now: datetime,
    aliases: Mapping[str, str],
) -> _ExclusionReader:
    runs = bool(parts & RUNS)
    is_tenant = ParticipationRole.TENANT in parts
    own = is_tenant and not runs
    blamed = known_hosts if parts - {ParticipationRole.TENANT} else ()
    return _ExclusionReader(
        organization_id=actor.organization.pk,
        runs=runs,
        is_tenant=is_tenant,
        hosts=frozenset({*blamed, *(_own_hosts(actor, cluster, aliases) if own else ())}),
        jobs=_own_jobs(actor, cluster) if own else frozenset(),
        now=now,
    )


def _own_hosts(actor: Actor, cluster: Cluster, aliases: Mapping[str, str]) -> list[str]:
    """Return the hosts on which a tenant's sessions ran, as who runs the cluster said."""
    rows = Attempt.objects.for_organization(actor.organization).filter(
        session__cluster=cluster, hosts_asserted=True
    )
    each = Func(F("hosts"), function="unnest", output_field=CharField())
    names = rows.values_list(each, flat=True).distinct()
    return [host_names.resolve(name=name, aliases=aliases) for name in names]


def _own_jobs(actor: Actor, cluster: Cluster) -> frozenset[str]:
    """Return the names of a tenant's jobs of which who runs the cluster told.

    A name that it alone says is its own may be another's job.
    """
    own = Session.objects.for_organization(actor.organization)
    rows = own.filter(cluster=cluster, is_asserted=True)
    return frozenset(rows.values_list("name", flat=True))


def _rows(cluster: Cluster, since: datetime, until: datetime) -> list[ToldExclusion]:
    goes_on = Q(ends_at=None) | Q(ends_at__gte=since)
    wanted = (goes_on & ~Q(kind=ExclusionKind.JOB)) | Q(starts_at__gte=since)
    rows = NodeExclusion.objects.filter(wanted, cluster=cluster, starts_at__lt=until)
    few = _told(rows)[: MOST_CLAIMED + 1]
    if len(few) <= MOST_CLAIMED:  # whoever told them: none is more than is read of one party
        return [ToldExclusion._make(row) for row in few]
    newest = [F("starts_at").desc(), F("id").desc()]
    place = Window(RowNumber(), partition_by=["organization", "standing"], order_by=newest)
    is_claim = Q(standing=SenderStanding.CLAIMED)
    kept = rows.annotate(place=place).filter(~is_claim | Q(place__lte=MOST_CLAIMED))
    kept = kept.filter(place__lte=MOST)
    return [ToldExclusion._make(row) for row in _told(kept)]


def _told(rows: QuerySet[NodeExclusion]) -> QuerySet[Any, Any]:
    return rows.order_by("-starts_at", "-id").values_list(*ToldExclusion._fields)


def _tellers(rows: Sequence[ToldExclusion]) -> dict[int, OrganizationName]:
    """Return who told: few parties of hundreds of rows."""
    found = Organization.objects.in_bulk({row.organization_id for row in rows})
    return {pk: name_of(each) for pk, each in found.items()}


def _of_jobs_that_are_theirs(
    cluster: Cluster, rows: Sequence[ToldExclusion]
) -> list[ToldExclusion]:
    """Leave out what a tenant claims of a job that is not known to be its own."""
    names = {row.session for row in rows if row.standing == SenderStanding.CLAIMED}
    if not names:
        return [*rows]
    known = Session.objects.filter(cluster=cluster, name__in=names)
    owned = set(known.values_list("organization_id", "name"))
    return [
        row
        for row in rows
        if row.standing != SenderStanding.CLAIMED or (row.organization_id, row.session) in owned
    ]


def _once_a_job(rows: Sequence[ToldExclusion]) -> list[ToldExclusion]:
    """Return what each job left out once, as it was told first; `rows` have the newest first."""
    found: dict[tuple[int, str, str], ToldExclusion] = {}
    for row in rows:
        if row.kind == ExclusionKind.JOB:
            found[row.organization_id, row.session, row.host] = row
    first = {row.pk for row in found.values()}
    return [row for row in rows if row.kind != ExclusionKind.JOB or row.pk in first]


def _session_ids(actor: Actor, cluster: Cluster, names: Collection[str]) -> Mapping[str, str]:
    if not names:
        return {}
    found = access_sessions(actor=actor).filter(cluster=cluster, name__in=names)
    return dict(found.values_list("name", "public_id"))


def _view(
    row: ToldExclusion,
    host: str,
    teller: OrganizationName,
    reader: _ExclusionReader,
    sessions: Mapping[str, str],
) -> ExclusionView:
    view = partial(
        ExclusionView,
        host=host,
        kind=ExclusionKind(row.kind),
        starts_at=row.starts_at,
        ends_at=row.ends_at,
        is_claimed=row.standing == SenderStanding.CLAIMED,
    )
    if not reader.reads_whole(row):
        return view(is_brief=True)
    return view(
        is_brief=False,
        teller=teller,
        is_own=row.organization_id == reader.organization_id,
        session=row.session,
        session_id=sessions.get(row.session, ""),
        by=row.by,
        reason=row.reason,
        cause=row.cause,
        incident=row.incident,
    )
