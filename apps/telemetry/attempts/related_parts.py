"""Servers and switches of a cluster that an attempt is known to use, and what it does not use."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from django.db.models import F, Func, Q, QuerySet, Sum, TextField, Window
from django.db.models.functions import Greatest

from apps.diagnosis.reasoning.scope.jobs.node_lists import NodeLists
from apps.fleet.authority.agreed_terms import Authority
from apps.fleet.authority.rules import Subject
from apps.fleet.authority.trusted_rows import rows_of
from apps.fleet.hosts import host_names
from apps.fleet.models import Attempt, Device, Link, Mount
from apps.fleet.sessions.attempt_lists import LEAST_WEIGHT

# What a line of storage or fabric names: the part that it tells of, or a client of that.
PARTS: Final = ("server", "server2", "target", "switch")
CLIENTS: Final = ("client", "client2")
# Of one tenant's attempts at the same time: those of 16,384 ranks each twice over.
MOST_BYTES: Final = 4 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What lies around the hosts of an attempt, by the names that resolve."""

    used: frozenset[str] = frozenset()  # servers and switches that are known to serve its hosts
    unused: frozenset[str] = frozenset()  # nodes, servers, switches that are known, and not its own

    def also_used(self, names: Collection[str]) -> "Surroundings":
        """Return it with servers and switches that lines of who runs the hosts name."""
        return replace(self, used=self.used | (frozenset(names) - self.unused))


def parts_named(*, fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield the servers, targets and switches that a line names, as they are mostly called."""
    for name in PARTS:
        yield _without_network(str(fields.get(name) or ""))


def all_named(*, fields: Mapping[str, Any], lists: NodeLists) -> Iterator[str]:
    """Yield whatever a line names that has a place: parts, their clients, nodes."""
    yield from parts_named(fields=fields)
    for name in CLIENTS:
        yield _without_network(str(fields.get(name) or ""))
    yield from lists.nodes_of(str(fields.get("host", "")))


def _without_network(name: str) -> str:
    """Return an address without Lustre's name of its network: 10.0.0.7@o2ib."""
    return name.partition("@")[0]


def surroundings(
    *,
    attempt: Attempt,
    authority: Authority,
    aliases: Mapping[str, str],
    own: Collection[str],
) -> Surroundings:
    """Return what who runs the cluster listed: of that, what this attempt's hosts use or don't.

    `own` are its hosts. What nobody listed is neither. Needs the scope of the parties.
    """
    found = [_servers(attempt, authority, own), _switches(attempt, authority, own)]
    known = {*_nodes(attempt, authority), *_hosts_of_others(attempt)}
    known |= {name for _, others in found for name in others}

    def resolved(names: Collection[str]) -> frozenset[str]:
        return frozenset(host_names.resolve(name=each, aliases=aliases) for each in names) - {""}

    used = resolved({name for mine, _ in found for name in mine})
    return Surroundings(used=used, unused=resolved(known) - used - {*own})


def _nodes(attempt: Attempt, authority: Authority) -> set[str]:
    """Return the hosts with GPUs: servers and switches that are watched are nodes as well."""
    told = rows_of(authority, Subject.GPUS, began="first_seen_at")
    parts = Device.objects.filter(told, kind="gpu", node__cluster=attempt.session.cluster_id)
    return {*parts.values_list("node__name", flat=True).distinct()}


def _hosts_of_others(attempt: Attempt) -> set[str]:
    """Return where other sessions ran at the same time, as who runs the cluster told.

    Of each tenant as many as weigh what hundreds of its sessions do at once, the latest first: one
    whose attempts never end is not read whole in every diagnosis of the cluster.
    """
    if attempt.started_at is None:
        return set()
    rows = Attempt.objects.filter(session__cluster=attempt.session.cluster_id, hosts_asserted=True)
    rows = rows.filter(Q(ended_at=None) | Q(ended_at__gte=attempt.started_at))
    if attempt.ended_at:
        rows = rows.filter(Q(started_at=None) | Q(started_at__lte=attempt.ended_at))
    names = latest_of_each(rows=rows.exclude(pk=attempt.pk)).annotate(
        host=Func(F("hosts"), function="unnest", output_field=TextField())
    )
    return {*names.values_list("host", flat=True).distinct()}


def latest_of_each(*, rows: QuerySet[Attempt]) -> QuerySet[Attempt]:
    """Return the latest attempts of each tenant, as many as weigh what hundreds of them do."""
    so_far = Window(
        Sum(Greatest("weight", LEAST_WEIGHT)),
        partition_by="organization",
        order_by=[F("started_at").desc(nulls_last=True), "-id"],
    )
    latest = rows.annotate(so_far=so_far).filter(so_far__lte=MOST_BYTES)
    return Attempt.objects.filter(pk__in=latest.values("pk"))


def _servers(
    attempt: Attempt, authority: Authority, own: Collection[str]
) -> tuple[set[str], set[str]]:
    """Return the servers that these hosts mount from, with the paths, and the other servers."""
    told = rows_of(authority, Subject.MOUNTS)
    rows = list(Mount.objects.filter(told, cluster=attempt.session.cluster_id).order_by("id"))
    mounted = [row for row in rows if not row.hosts or {*row.hosts} & {*own}]
    used = {name for row in mounted for name in (row.server, row.path)}
    return used, {row.server for row in rows} - used


def _switches(
    attempt: Attempt, authority: Authority, own: Collection[str]
) -> tuple[set[str], set[str]]:
    """Return the switches that links lead to from these hosts, by however many others, and the
    others: none where no link of these hosts is listed.
    """
    told = rows_of(authority, Subject.LINKS)
    links = Link.objects.filter(told, cluster=attempt.session.cluster_id).exclude(switch="")
    ends: defaultdict[str, set[str]] = defaultdict(set)
    for host, switch in links.order_by("id").values_list("host", "switch"):
        ends[host].add(switch)
    reached, waiting = set[str](), {*own}
    while waiting:
        met = set[str]().union(*(ends[each] for each in waiting)) - reached
        reached |= met
        waiting = met
    return reached, set[str]().union(*ends.values()) - reached if reached else set()
