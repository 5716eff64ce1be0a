"""Which names of hosts that a change is of match no host that its teller knows of now."""

from collections.abc import Iterable

from apps.fleet.hosts.host_names import alias_table, resolve
from apps.fleet.models import Cluster
from apps.fleet.placement.node_runs import known_hosts
from apps.tenancy.access import Actor


def unknown_hosts(*, actor: Actor, cluster: Cluster, names: Iterable[str]) -> tuple[str, ...]:
    """Return those that are no node of the actor's inventory, and on which no session ran that it
    may know of, sorted. Needs its scope.

    What others alone know of is unknown to it: the answer never tells of their nodes.
    """
    wanted = {*names}
    if not wanted:
        return ()
    aliases = alias_table(cluster_id=cluster.pk, reader_id=actor.organization.pk)
    known = known_hosts(actor=actor, cluster=cluster, aliases=aliases)
    return tuple(
        sorted(name for name in wanted if resolve(name=name, aliases=aliases) not in known)
    )
