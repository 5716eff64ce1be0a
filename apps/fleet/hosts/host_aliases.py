"""The other names of hosts, as their operator writes them down."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from apps.fleet.access import access_nodes
from apps.fleet.hosts.host_names import short
from apps.fleet.models import Cluster, Node, Participation, ParticipationRole
from apps.tenancy.access import Actor, NotFound, Right

NAME_LIMIT = 253  # of a host name in DNS
MOST = 20


class BadAlias(ValueError):
    """A name can't be another name of a host."""

    def __init__(self, alias: str) -> None:
        super().__init__(alias)
        self.alias = alias


class AliasTaken(BadAlias):
    """Another host has it: ambiguous names join nothing."""

    def __init__(self, alias: str, host: str) -> None:
        super().__init__(alias)
        self.host = host


class TooManyAliases(BadAlias):
    """More than one host plausibly has."""


def may_name(*, actor: Actor, cluster: Cluster) -> bool:
    """Say whether the actor may name hosts: it manages an operator of the cluster."""
    own = Participation.objects.for_organization(actor.organization).filter(cluster=cluster)
    return Right.MANAGE in actor.rights and own.filter(part=ParticipationRole.OPERATOR).exists()


def find_hosts(*, actor: Actor, cluster: Cluster, wanted: str = "") -> QuerySet[Node]:
    """Return the actor's hosts of a cluster with this in their name, or this as another name."""
    nodes = access_nodes(actor=actor, cluster=cluster.slug)
    return nodes.filter(Q(name__contains=wanted) | Q(aliases__contains=[wanted]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """Which hosts are called otherwise from now on, and whose names could not be taken."""

    news: list[str]
    refused: dict[str, BadAlias]  # host as it was given → the first name that is wrong


def rename_many(*, actor: Actor, cluster: Cluster, hosts: Mapping[str, Sequence[str]]) -> Renamed:
    """Replace the other names of known hosts, one after the other; what is wrong of one keeps none
    back.

    Raises NotFound where a host is not known. Needs the scope.
    """
    if not may_name(actor=actor, cluster=cluster) or any("\x00" in each for each in hosts):
        raise NotFound
    own = Node.objects.for_organization(actor.organization).filter(cluster=cluster)
    nodes = {node.name: node for node in own}
    if not {short(name=host) for host in hosts} <= set(nodes):
        raise NotFound
    taken = {alias: node.name for node in nodes.values() for alias in (node.name, *node.aliases)}
    renamed = Renamed(news=[], refused={})
    for host, aliases in hosts.items():
        node = nodes[short(name=host)]
        try:
            wanted = _free(node.name, aliases, taken=taken)
        except BadAlias as error:
            renamed.refused[host] = error
            continue
        if wanted != sorted(node.aliases):
            own.filter(pk=node.pk).update(aliases=wanted)
            renamed.news.append(node.name)
            taken = {alias: name for alias, name in taken.items() if name != node.name}
            taken |= dict.fromkeys((node.name, *wanted), node.name)
    return renamed


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What many hosts are called besides from now on, and which names could not be added."""

    news: dict[str, list[str]]  # host → new names; an empty list for a host that was made
    refused: dict[str, BadAlias]  # host as it was given → the first name that is wrong


def add_aliases(
    *,
    organization_id: int,
    cluster: Cluster,
    hosts: Mapping[str, Sequence[str]],
    now: datetime,
) -> Added:
    """Give hosts more names, and make those that nobody saw yet. Needs the operator's scope."""
    own = Node.objects.for_organization(organization_id).filter(cluster=cluster)
    nodes = {node.name: node for node in own}
    taken = {alias: node.name for node in nodes.values() for alias in (node.name, *node.aliases)}
    added = Added(news={}, refused={})
    for given, aliases in hosts.items():
        try:
            host = _name(given)
            wanted = _free(host, aliases, taken=taken)
        except BadAlias as error:
            added.refused[given] = error
            continue
        taken |= dict.fromkeys((host, *wanted), host)
        node = nodes.get(host)
        if node is None or set(wanted) - set(node.aliases):
            added.news[host] = sorted(set(wanted) - set(node.aliases if node else ()))
    _write(organization_id, cluster, nodes=nodes, news=added.news, now=now)
    return added


def _free(host: str, aliases: Sequence[str], *, taken: Mapping[str, str]) -> list[str]:
    wanted = sorted({_name(each, is_whole=True) for each in aliases if each.strip()} - {host})
    if len(wanted) > MOST:
        raise TooManyAliases(wanted[MOST])
    for alias in (host, *wanted):
        owner = taken.get(alias, host)
        if owner != host:
            raise AliasTaken(alias, owner)
    return wanted


def _write(
    organization_id: int,
    cluster: Cluster,
    *,
    nodes: Mapping[str, Node],
    news: Mapping[str, list[str]],
    now: datetime,
) -> None:
    rows = [
        Node(
            organization_id=organization_id,
            cluster=cluster,
            name=host,
            aliases=sorted({*names, *(nodes[host].aliases if host in nodes else ())}),
            first_seen_at=now,
            last_seen_at=now,
        )
        for host, names in sorted(news.items())
    ]
    Node.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["organization", "cluster", "name"],
        update_fields=["aliases"],
    )


def _name(text: str, *, is_whole: bool = False) -> str:
    name = text.strip().strip(".").lower()
    if not name or len(name) > NAME_LIMIT or not name.isprintable() or set(name) & set(" /,;\"'"):
        raise BadAlias(text[:NAME_LIMIT])
    return name if is_whole else short(name=name)
