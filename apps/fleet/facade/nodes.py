"""Nodes of a cluster, as whoever takes part in it may know of them. Needs the actor's scope."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from apps.fleet.access import access_cluster, parts_in, row_of_cluster
from apps.fleet.devices import node_identity as identity
from apps.fleet.devices.node_identity import NodeIdentity
from apps.fleet.exclusions.exclusion_access import RUNS
from apps.fleet.hosts.host_names import alias_table
from apps.fleet.models import Device, ParticipationRole
from apps.fleet.placement import node_runs
from apps.fleet.values import ClusterName, EndedRun, NodeRun, RunSize, cluster_name
from apps.tenancy.access import Actor, Right


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeScope:
    """A cluster that came through the door, and whether the reader runs it."""

    cluster: ClusterName
    runs: bool  # operator or platform: it reads what others' sessions did there
    operates: bool  # the nodes are its own
    parts: frozenset[str]  # in which the reader takes part
    is_simulated: bool


def node_scope(*, actor: Actor, cluster: str) -> NodeScope:
    """Return a cluster that the actor's organization takes part in; raise NotFound."""
    found = access_cluster(actor=actor, slug=cluster)
    parts = frozenset(row.part for row in parts_in(actor=actor, cluster=found))
    name = cluster_name(found)
    assert name is not None  # noqa: S101  there is one
    return NodeScope(
        cluster=name,
        runs=bool(parts & RUNS),
        operates=ParticipationRole.OPERATOR in parts,
        is_simulated=found.is_simulated,
        parts=parts,
    )


def host_spellings(*, actor: Actor, scope: NodeScope) -> Mapping[str, str]:
    """Return spelling → node, as the reader believes it: for who asks for several things below."""
    return alias_table(cluster_id=scope.cluster.id, reader_id=actor.organization.pk)


def known_hosts(
    *, actor: Actor, scope: NodeScope, spellings: Mapping[str, str] | None = None
) -> frozenset[str]:
    """Return the nodes that the reader knows of: its own, and those that sessions ran on."""
    return node_runs.known_hosts(
        actor=actor,
        cluster=row_of_cluster(scope.cluster, is_simulated=scope.is_simulated),
        aliases=spellings,
    )


def run_sizes(
    *, actor: Actor, scope: NodeScope, since: datetime, until: datetime
) -> tuple[RunSize, ...]:
    """Return the size of each attempt in a span, the newest first."""
    return node_runs.run_sizes(
        actor=actor,
        cluster=row_of_cluster(scope.cluster, is_simulated=scope.is_simulated),
        since=since,
        until=until,
    )


def runs_on(  # noqa: PLR0913  where, when, how many, and what was read before
    *,
    actor: Actor,
    scope: NodeScope,
    host: str,
    since: datetime,
    until: datetime,
    limit: int,
    spellings: Mapping[str, str] | None = None,
) -> tuple[NodeRun, ...]:
    """Return the attempts on a node, the newest first."""
    return node_runs.runs_on(
        actor=actor,
        cluster=row_of_cluster(scope.cluster, is_simulated=scope.is_simulated),
        host=host,
        since=since,
        until=until,
        limit=limit,
        aliases=spellings,
    )


def ended_runs(
    *,
    actor: Actor,
    scope: NodeScope,
    since: datetime,
    until: datetime,
    states: Collection[str],
) -> tuple[EndedRun, ...]:
    """Return the attempts that began and ended in a span so, the newest first."""
    return node_runs.ended_runs(
        actor=actor,
        cluster=row_of_cluster(scope.cluster, is_simulated=scope.is_simulated),
        since=since,
        until=until,
        states=states,
    )


def node_identity(*, actor: Actor, scope: NodeScope, host: str) -> NodeIdentity | None:
    """Return a node of the actor's own inventory; None where it keeps none of that name."""
    return identity.node_identity(actor=actor, cluster=scope.cluster.slug, host=host)


def gpu_places(*, actor: Actor, scope: NodeScope) -> dict[tuple[str, str], int]:
    """Return (host, PCI address) → number of the GPU there, as the actor's own inventory tells."""
    actor.require(Right.READ)
    own = Device.objects.for_organization(actor.organization).filter(
        node__cluster=scope.cluster.id, kind="gpu", replaced_at=None, index__isnull=False
    )
    rows = own.exclude(pci="").values_list("node__name", "pci", "index")
    return {(host, pci): int(index) for host, pci, index in rows if index is not None}


def is_known_node(*, actor: Actor, cluster: str, host: str) -> bool:
    """Say whether the reader knows a node by its inventory or its sessions. Raises NotFound."""
    scope = node_scope(actor=actor, cluster=cluster)
    return host in known_hosts(actor=actor, scope=scope)
