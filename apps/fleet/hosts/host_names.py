"""One host under several names: short name, FQDN, IP and the operator's alias table."""

import ipaddress
from collections.abc import Iterable, Mapping

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet

from apps.diagnosis.input_values import is_whole_number
from apps.fleet.authority.agreed_terms import authority_of
from apps.fleet.authority.rules import Subject
from apps.fleet.authority.trusted_rows import rows_of
from apps.fleet.models import Attempt, Node


def short(*, name: str) -> str:
    """Return the short host name in lower case; an address stays whole."""
    name = name.strip().strip(".").lower()
    return name if _is_address(name) else name.partition(".")[0]


def resolve(*, name: str, aliases: Mapping[str, str]) -> str:
    """Return the node's name for any of its spellings; an unknown one is only shortened."""
    low = name.strip().strip(".").lower()
    if found := aliases.get(low):
        return found
    brief = short(name=low)
    return aliases.get(brief) or brief


def alias_table(*, cluster_id: int, reader_id: int) -> dict[str, str]:
    """Return every spelling of the cluster's nodes → node name. Needs the operator's scope.

    A spelling that two nodes share is left out: ambiguous means unjoined. What the reader alone
    says of nodes serves it where nobody who runs the cluster has a word for a spelling.
    """
    authority = authority_of(cluster_id=cluster_id)
    believed = rows_of(authority, Subject.NODES, began="first_seen_at")
    is_believed = ExpressionWrapper(believed, output_field=BooleanField())
    rows = _nodes(cluster_id, Q(organization=reader_id) | believed).annotate(
        is_believed=is_believed
    )
    told = list(rows.values_list("name", "aliases", "organization_id", "is_believed"))
    own = unambiguous(names=(row[:2] for row in told if row[2] == reader_id))
    return own | unambiguous(names=(row[:2] for row in told if row[3]))


def aliases_for(*, attempt: Attempt) -> dict[str, str]:
    """Return the table that serves an attempt; while its hosts are claims, its tenant's alone."""
    cluster_id = attempt.session.cluster_id
    if cluster_id is None:
        return {}
    if not attempt.hosts_asserted:
        return _table(cluster_id, Q(organization=attempt.organization_id))
    return alias_table(cluster_id=cluster_id, reader_id=attempt.organization_id)


def _table(cluster_id: int, wanted: Q) -> dict[str, str]:
    return unambiguous(names=_nodes(cluster_id, wanted).values_list("name", "aliases"))


def _nodes(cluster_id: int, wanted: Q) -> QuerySet[Node]:
    return Node.objects.filter(wanted, cluster=cluster_id).order_by("name", "id")


def unambiguous(*, names: Iterable[tuple[str, list[str]]]) -> dict[str, str]:
    """Return spelling → node of (node, spellings), without what could mean two nodes."""
    table: dict[str, set[str]] = {}
    for node, spellings in names:
        for spelling in (node, *spellings, *(short(name=each) for each in spellings)):
            table.setdefault(spelling.lower(), set()).add(node)
    exact = {node: node for nodes in table.values() for node in nodes}
    return {s: next(iter(nodes)) for s, nodes in table.items() if len(nodes) == 1} | exact


def _is_address(name: str) -> bool:
    if ":" not in name and not is_whole_number(name.replace(".", "")):
        return False  # as hosts' names mostly are: reading one as an address takes far longer
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
