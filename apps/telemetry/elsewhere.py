"""Nodes, servers and switches of a cluster that an attempt does not use."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from django.db.models import Q

from apps.fleet import hosts
from apps.fleet.authority import Authority, Subject
from apps.fleet.believed import rows_of
from apps.fleet.models import Attempt, Device, Link, Mount


def elsewhere(
    *,
    attempt: Attempt,
    authority: Authority,
    aliases: Mapping[str, str],
    own: Collection[str],
) -> frozenset[str]:
    """Return the names of what who runs the cluster knows, and this attempt's hosts don't use.

    `own` are its hosts. What nobody listed is not among them. Needs the scope of the parties.
    """
    known = {*_nodes(attempt, authority), *_hosts_of_others(attempt)}
    named = {hosts.resolve(name=each, aliases=aliases) for each in known}
    servers = _servers(attempt, authority, own)
    switches = _switches(attempt, authority, own)
    parts = {hosts.resolve(name=each, aliases=aliases) for each in servers | switches}
    return frozenset((named | parts) - {*own, ""})


def _nodes(attempt: Attempt, authority: Authority) -> set[str]:
    """Return the hosts with GPUs: servers and switches that are watched are nodes as well."""
    told = rows_of(authority, Subject.GPUS, began="first_seen_at")
    parts = Device.objects.filter(told, kind="gpu", node__cluster=attempt.session.cluster_id)
    return {*parts.values_list("node__name", flat=True).distinct()}


def _hosts_of_others(attempt: Attempt) -> set[str]:
    """Return where other sessions ran at the same time, as who runs the cluster told."""
    if attempt.started_at is None:
        return set()
    rows = Attempt.objects.filter(session__cluster=attempt.session.cluster_id, hosts_asserted=True)
    rows = rows.filter(Q(ended_at=None) | Q(ended_at__gte=attempt.started_at))
    if attempt.ended_at:
        rows = rows.filter(Q(started_at=None) | Q(started_at__lte=attempt.ended_at))
    found = rows.exclude(pk=attempt.pk).order_by("id").values_list("hosts", flat=True)
    return {host for each in found for host in each}


def _servers(attempt: Attempt, authority: Authority, own: Collection[str]) -> set[str]:
    told = rows_of(authority, Subject.MOUNTS)
    rows = list(Mount.objects.filter(told, cluster=attempt.session.cluster_id).order_by("id"))
    used = {row.server for row in rows if not row.hosts or {*row.hosts} & {*own}}
    return {row.server for row in rows} - used


def _switches(attempt: Attempt, authority: Authority, own: Collection[str]) -> set[str]:
    """Return the switches that no link leads to from these hosts, by however many others."""
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
    return set[str]().union(*ends.values()) - reached if reached else set()
