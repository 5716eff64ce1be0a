"""Nodes, GPUs and sessions by a part of their names, as the actor may know of them.

Each needs the scope of the actor's organization, and asks nothing of what it may not know.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import CharField, F, Func, Q

from apps.fleet.access import access_clusters, access_nodes, access_sessions, newest_first
from apps.fleet.hosts import host_names
from apps.fleet.models import Attempt, Cluster, Device, SessionParty
from apps.fleet.values import ClusterName, SessionView, cluster_name, session_view
from apps.tenancy.access import Actor, Right
from apps.tenancy.values import value_of

# The newest sessions, whose hosts are looked through: the time stays bounded whatever ran.
MOST_SESSIONS: Final = 400
MOST_NAMED: Final = (
    200  # sessions of a name, the last heard of, of which the last started are shown
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundNode:
    """A node that the reader knows, by its inventory or by a session that ran there."""

    cluster: ClusterName
    host: str
    alias: str = ""  # the other name that was met, where it was one


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundGpu:
    """A GPU of the reader's own inventory, where it sits or sat last."""

    cluster: ClusterName
    host: str
    index: int | None
    uuid: str
    pci: str
    replaced_at: datetime | None


def find_nodes(*, actor: Actor, text: str, limit: int) -> tuple[FoundNode, ...]:
    """Return nodes whose name or alias holds a text, by cluster and name."""
    own = access_nodes(actor=actor)
    named = own.filter(Q(name__icontains=text) | Q(aliases__contains=[text.lower()]))[:limit]
    found = {(row.cluster_id, row.name): _node(row.cluster, row.name, text) for row in named}
    for cluster, hosts in _hosts_of_sessions(actor):
        aliases = host_names.alias_table(cluster_id=cluster.pk, reader_id=actor.organization.pk)
        names = {host_names.resolve(name=name, aliases=aliases) for name in hosts}
        for host in sorted(name for name in names if text.lower() in name):
            found.setdefault((cluster.pk, host), _node(cluster, host, text))
    return tuple(found[key] for key in sorted(found))[:limit]


def _node(cluster: Cluster, host: str, text: str) -> FoundNode:
    name = cluster_name(cluster)
    assert name is not None  # noqa: S101  there is one
    alias = "" if text.lower() in host.lower() else text.lower()
    return FoundNode(cluster=name, host=host, alias=alias)


def _hosts_of_sessions(actor: Actor) -> list[tuple[Cluster, set[str]]]:
    """Return the hosts of each cluster where the newest sessions ran that the reader knows.

    None of a cluster's former sessions once it left; others' hosts once who runs it said so.
    """
    own = SessionParty.objects.for_organization(actor.organization).filter(left_at=None)
    newest = list(own.order_by("-session_id").values_list("session_id", flat=True)[:MOST_SESSIONS])
    counts = Q(hosts_asserted=True) | Q(organization=actor.organization)
    each = Func(F("hosts"), function="unnest", output_field=CharField())
    ran = Attempt.objects.filter(counts, session__in=newest).order_by()
    hosts: dict[int, set[str]] = {}
    for cluster_id, host in ran.values_list("session__cluster_id", each).distinct():
        hosts.setdefault(cluster_id, set()).add(host)
    return [(row, hosts.get(row.pk, set())) for row in access_clusters(actor=actor)]


def find_gpus(
    *, actor: Actor, text: str, host: str = "", index: int | None = None, limit: int
) -> tuple[FoundGpu, ...]:
    """Return GPUs of the actor's own inventory by UUID, PCI address, or host and index.

    Those that sit there come first.
    """
    actor.require(Right.READ)
    uuid = text.lower().removeprefix("gpu-")
    wanted = Q(uuid__istartswith=uuid) if len(uuid) >= 4 else Q(pk=None)
    if ":" in text or "." in text:
        wanted |= Q(pci__icontains=text)
    if host and index is not None:
        wanted |= Q(node__name__istartswith=host, index=index)
    own = Device.objects.for_organization(actor.organization).filter(wanted, kind="gpu")
    rows = own.select_related("node__cluster").order_by(
        F("replaced_at").desc(nulls_first=True), "node__name", "index", "id"
    )
    return tuple(
        value_of(FoundGpu, row, cluster=cluster_name(row.node.cluster), host=row.node.name)
        for row in rows[:limit]
    )


def find_sessions(*, actor: Actor, text: str, limit: int) -> tuple[SessionView, ...]:
    """Return sessions whose id, name or job holds a text, by when they started, newest first."""
    wanted = Q(public_id__istartswith=text) | Q(name__icontains=text) | Q(job__icontains=text)
    wanted |= Q(aliases__contains=[text])
    named = access_sessions(actor=actor).filter(wanted).order_by("-id").select_related(None)
    ids = list(named.values_list("pk", flat=True)[:MOST_NAMED])
    rows = newest_first(access_sessions(actor=actor).filter(pk__in=ids))
    return tuple(session_view(each) for each in rows[:limit])
