"""Nodes that are left out: what the actor's organization reads of it, and writes down.

Needs the actor's scope.
"""

from collections.abc import Collection
from datetime import datetime

from apps.fleet.access import access_cluster, row_of_cluster
from apps.fleet.exclusions import exclusion_acts
from apps.fleet.exclusions.exclusion_access import access_exclusions
from apps.fleet.exclusions.exclusion_values import ExclusionView
from apps.fleet.facade.nodes import NodeScope
from apps.fleet.parties.cross_party_acts import ActContext
from apps.tenancy.access import Actor


def exclusions_of(
    *,
    actor: Actor,
    cluster: str,
    since: datetime,
    until: datetime,
    now: datetime,
    known_hosts: Collection[str] = (),
) -> tuple[ExclusionView, ...]:
    """Return exclusions between two instants as the actor reads them, the newest first.

    `known_hosts` are nodes that it sees blamed. Raises NotFound.
    """
    return access_exclusions(
        actor=actor,
        cluster=access_cluster(actor=actor, slug=cluster),
        since=since,
        until=until,
        now=now,
        known_hosts=known_hosts,
    )


def exclusions_in(
    *,
    actor: Actor,
    scope: NodeScope,
    since: datetime,
    until: datetime,
    now: datetime,
    known_hosts: Collection[str] = (),
) -> tuple[ExclusionView, ...]:
    """Return the same of a cluster that came through the door before."""
    return access_exclusions(
        actor=actor,
        cluster=row_of_cluster(scope.cluster, is_simulated=scope.is_simulated),
        since=since,
        until=until,
        now=now,
        known_hosts=known_hosts,
        parts=scope.parts,
    )


def may_exclude(*, actor: Actor, scope: NodeScope) -> bool:
    """Say whether the actor may write down that nodes are left out."""
    return exclusion_acts.may_exclude(actor=actor, runs=scope.runs)


def exclude_node(
    *, cluster: str, host: str, reason: str, until: datetime | None, context: ActContext
) -> None:
    """Write down that a node is left out from now on. Raises NotFound, ReasonMissing."""
    found = access_cluster(actor=context.actor, slug=cluster)
    exclusion_acts.exclude(cluster=found, host=host, reason=reason, until=until, context=context)


def put_node_back(*, cluster: str, host: str, context: ActContext) -> None:
    """Write down that a node that was left out by hand is in use again. Raises NotFound."""
    found = access_cluster(actor=context.actor, slug=cluster)
    exclusion_acts.put_back(cluster=found, host=host, context=context)
