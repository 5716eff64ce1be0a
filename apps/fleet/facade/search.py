"""Nodes, GPUs and sessions by a part of their names, as the actor may know of them.

Each needs the scope of the actor's organization, and asks nothing of what it may not know.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import CharField, F, Func, Q

from apps.fleet.access import access_clusters, access_nodes, access_sessions, newest_first
from apps.fleet.hosts import host_names
from apps.fleet.models import Attempt, Cluster, Device, SessionParty
from apps.fleet.values import ClusterName, SessionView, cluster_name, session_view
from apps.tenancy.access import Actor, Right
from apps.tenancy.values import value_of

# The newest attempts, whose hosts are looked through: the time stays bounded whatever ran.
MOST_ATTEMPTS: Final = 400


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
    for cluster in access_clusters(actor=actor):
        for host in _hosts_of_sessions(actor, cluster, text):
            found.setdefault((cluster.pk, host), _node(cluster, host, text))
    return tuple(found[key] for key in sorted(found))[:limit]


def _node(cluster: Cluster, host: str, text: str) -> FoundNode:
    name = cluster_name(cluster)
    assert name is not None  # noqa: S101  there is one
    alias = "" if text.lower() in host.lower() else text.lower()
    return FoundNode(cluster=name, host=host, alias=alias)


def _hosts_of_sessions(actor: Actor, cluster: Cluster, text: str) -> list[str]:
    """Return the hosts that hold a text, of those where sessions ran that the reader knows.

    None of a cluster's former sessions once it left; others' hosts once who runs it said so.
    """
    left = SessionParty.objects.for_organization(actor.organization).exclude(left_at=None)
    sessions: Any = access_sessions(actor=actor, cluster=cluster.slug).order_by()
    known = sessions.exclude(pk__in=left.values("session_id")).values("pk")
    counts = Q(hosts_asserted=True) | Q(organization=actor.organization)
    newest = Attempt.objects.filter(counts, session__in=known).order_by("-started_at", "-id")
    each = Func(F("hosts"), function="unnest", output_field=CharField())
    ids = list(newest.values_list("pk", flat=True)[:MOST_ATTEMPTS])
    names = Attempt.objects.filter(pk__in=ids).order_by().values_list(each, flat=True).distinct()
    aliases = host_names.alias_table(cluster_id=cluster.pk, reader_id=actor.organization.pk)
    resolved = {host_names.resolve(name=name, aliases=aliases) for name in names}
    return sorted(name for name in resolved if text.lower() in name)


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
    rows = newest_first(access_sessions(actor=actor).filter(wanted))
    return tuple(session_view(each) for each in rows[:limit])
