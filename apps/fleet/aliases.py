"""The other names of hosts, as their operator writes them down."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Q, QuerySet

from apps.fleet.access import access_nodes
from apps.fleet.hosts import short
from apps.fleet.models import Cluster, Node, Part, Participation
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
    return Right.MANAGE in actor.rights and own.filter(part=Part.OPERATOR).exists()


def find_hosts(*, actor: Actor, cluster: Cluster, wanted: str = "") -> QuerySet[Node]:
    """Return the actor's hosts of a cluster with this in their name, or this as another name."""
    nodes = access_nodes(actor=actor, cluster=cluster.slug)
    return nodes.filter(Q(name__contains=wanted) | Q(aliases__contains=[wanted]))


def rename(*, actor: Actor, cluster: Cluster, host: str, aliases: Sequence[str]) -> bool:
    """Replace the other names of a known host; return whether that is news.

    Raises NotFound, BadAlias. Needs the scope.
    """
    if not may_name(actor=actor, cluster=cluster):
        raise NotFound
    nodes = Node.objects.for_organization(actor.organization).filter(cluster=cluster)
    node = nodes.filter(name=short(name=host)).first()
    if node is None:
        raise NotFound
    wanted = checked(
        organization_id=actor.organization.pk, cluster=cluster, host=node.name, aliases=aliases
    )
    if wanted == sorted(node.aliases):
        return False
    nodes.filter(pk=node.pk).update(aliases=wanted)
    return True


def add_aliases(
    *, organization_id: int, cluster: Cluster, host: str, aliases: Sequence[str], now: datetime
) -> list[str]:
    """Give a host more names, and make it if nobody saw it yet; return the new names.

    Raises BadAlias. Needs the operator's scope.
    """
    name = _name(host)
    wanted = checked(organization_id=organization_id, cluster=cluster, host=name, aliases=aliases)
    node, is_new = Node.objects.get_or_create(
        organization_id=organization_id,
        cluster=cluster,
        name=name,
        defaults={"aliases": wanted, "first_seen_at": now, "last_seen_at": now},
    )
    news = wanted if is_new else sorted(set(wanted) - set(node.aliases))
    if news and not is_new:
        node.aliases = sorted({*node.aliases, *news})
        node.save(update_fields=["aliases"])
    return news


def checked(
    *, organization_id: int, cluster: Cluster, host: str, aliases: Sequence[str]
) -> list[str]:
    """Return the names as they are kept; raise BadAlias for one that another host has."""
    wanted = sorted({_name(each, is_whole=True) for each in aliases if each.strip()} - {host})
    if len(wanted) > MOST:
        raise TooManyAliases(wanted[MOST])
    others = Node.objects.for_organization(organization_id).filter(cluster=cluster)
    others = others.exclude(name=host)
    for alias in wanted:
        taken = others.filter(aliases__contains=[alias]).first()
        taken = taken or others.filter(name=alias).first()
        if taken is not None:
            raise AliasTaken(alias, taken.name)
    return wanted


def _name(text: str, *, is_whole: bool = False) -> str:
    name = text.strip().strip(".").lower()
    if not name or len(name) > NAME_LIMIT or not name.isprintable() or set(name) & set(" /,;\"'"):
        raise BadAlias(text[:NAME_LIMIT])
    return name if is_whole else short(name=name)
