"""What ran on a cluster's nodes in a span, as its reader may know of it."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Final

from django.db.models import CharField, F, Func, IntegerField, Q, QuerySet

from apps.fleet.access import access_nodes, access_sessions
from apps.fleet.hosts import host_names
from apps.fleet.models import Attempt, Cluster, Session, SessionParty
from apps.fleet.values import EndedRun, NodeRun, RunSize, SessionName
from apps.tenancy.access import Actor

# The newest: a page stays quick whatever ran in a cluster.
MOST: Final = 5000
OF_SESSION: Final = ("session_id", "session__public_id", "session__name", "session__cluster_id")
OF_RUN: Final = ("number", "state", "started_at", "ended_at", "world_size", "host_count")
HostCount = Func(F("hosts"), function="cardinality", output_field=IntegerField())


def runs_on(  # noqa: PLR0913  where, when, how many, and what was read before
    *,
    actor: Actor,
    cluster: Cluster,
    host: str,
    since: datetime,
    until: datetime,
    limit: int,
    aliases: Mapping[str, str] | None = None,
) -> tuple[NodeRun, ...]:
    """Return the attempts on a node, the newest first. Needs the scope.

    `aliases` is the table of the reader where it was read before, in the same scope.
    """
    table = _aliases(actor, cluster) if aliases is None else aliases
    spelt = _spellings(host, table)
    rows = _attempts(actor, cluster, since, until).filter(hosts__overlap=sorted(spelt))
    found = rows.annotate(host_count=HostCount).order_by("-started_at", "-id")
    return tuple(_run(row) for row in found.values_list(*OF_SESSION, *OF_RUN)[:limit])


def run_sizes(
    *, actor: Actor, cluster: Cluster, since: datetime, until: datetime
) -> tuple[RunSize, ...]:
    """Return the size of each attempt in a span, the newest first. Needs the scope."""
    rows = _attempts(actor, cluster, since, until).annotate(host_count=HostCount)
    values = (
        rows.annotate(host=F("hosts__0"))
        .order_by("-started_at", "-id")
        .values_list("pk", "host_count", "host")
    )
    return tuple(
        RunSize(
            attempt_id=pk,
            host_count=count,
            host=host_names.short(name=host) if count == 1 else "",
        )
        for pk, count, host in values[:MOST]
    )


def ended_runs(
    *, actor: Actor, cluster: Cluster, since: datetime, until: datetime, states: Collection[str]
) -> tuple[EndedRun, ...]:
    """Return the attempts that began and ended in a span so, the newest first. Needs the scope."""
    rows = _readable(actor, cluster).filter(
        state__in=states, started_at__gte=since, ended_at__lte=until
    )
    values = rows.order_by("-ended_at", "-id").values_list(
        "pk", "state", "hosts", "started_at", "ended_at"
    )
    aliases = _aliases(actor, cluster)
    return tuple(
        EndedRun(
            attempt_id=pk,
            state=state,
            hosts=frozenset(host_names.resolve(name=each, aliases=aliases) for each in hosts),
            started_at=started_at,
            ended_at=ended_at,
        )
        for pk, state, hosts, started_at, ended_at in values[:MOST]
        if started_at is not None and ended_at is not None
    )


def known_hosts(
    *, actor: Actor, cluster: Cluster, aliases: Mapping[str, str] | None = None
) -> frozenset[str]:
    """Return the nodes of a cluster that the reader knows of: its own, and those that sessions ran
    on. Needs the scope.
    """
    own = access_nodes(actor=actor, cluster=cluster.slug).values_list("name", flat=True)
    each = Func(F("hosts"), function="unnest", output_field=CharField())
    rows = _readable(actor, cluster).order_by().values_list(each, flat=True).distinct()
    table = _aliases(actor, cluster) if aliases is None else aliases
    return frozenset(own) | {host_names.resolve(name=name, aliases=table) for name in rows}


def _aliases(actor: Actor, cluster: Cluster) -> Mapping[str, str]:
    return host_names.alias_table(cluster_id=cluster.pk, reader_id=actor.organization.pk)


def _spellings(host: str, aliases: Mapping[str, str]) -> set[str]:
    return {host, host.upper()} | {each for each, node in aliases.items() if node == host}


def _attempts(actor: Actor, cluster: Cluster, since: datetime, until: datetime) -> QuerySet[Any]:
    goes_on = Q(ended_at=None) | Q(ended_at__gte=since)
    return _readable(actor, cluster).filter(goes_on, started_at__lt=until)


def _readable(actor: Actor, cluster: Cluster) -> QuerySet[Attempt]:
    """Return the attempts of sessions that the reader may know of; none of before it left.

    Where others' sessions ran counts once who runs the cluster said so.
    """
    left = SessionParty.objects.for_organization(actor.organization).exclude(left_at=None)
    sessions: QuerySet[Session] = access_sessions(actor=actor, cluster=cluster.slug).order_by()
    known = sessions.exclude(pk__in=left.values("session_id"))
    counts = Q(hosts_asserted=True) | Q(organization=actor.organization)
    return Attempt.objects.filter(counts, session__in=known.values("pk"))


def _run(row: tuple[Any, ...]) -> NodeRun:
    session_id, public_id, name, cluster_id, *rest = row
    number, state, started_at, ended_at, world_size, host_count = rest
    return NodeRun(
        session=SessionName(id=session_id, public_id=public_id, name=name, cluster_id=cluster_id),
        number=number,
        state=state,
        started_at=started_at,
        ended_at=ended_at,
        host_count=host_count,
        world_size=world_size,
    )
