"""What lists of sessions are narrowed by, of what their reader may know of them."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import CharField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from apps.diagnosis.input_values import storable
from apps.fleet.access import access_clusters
from apps.fleet.hosts import host_names
from apps.fleet.models import Attempt, Session, SessionParty
from apps.tenancy.access import Actor

MOST_IDS: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFilter:
    """What is asked for; what is empty is not. `until` is not included."""

    name: str = ""  # a part of its name or job, or its id
    state: str = ""  # of its last attempt: diagnosis.model.EndState
    host: str = ""
    tenant: str = ""  # a slug
    cluster: str = ""  # a slug
    since: datetime | None = None  # its last attempt started
    until: datetime | None = None
    ids: Collection[int] | None = None


def narrowed(rows: QuerySet[Session], *, actor: Actor, wanted: SessionFilter) -> QuerySet[Any]:
    """Return those of these sessions that are asked for. `rows` came through the door, by start."""
    found: QuerySet[Any] = rows.annotate(last_state=_last_state()) if wanted.state else rows
    exact = {
        "organization__slug": wanted.tenant or None,
        "cluster__slug": wanted.cluster or None,
        "last_state": wanted.state or None,
        "pk__in": None if wanted.ids is None else list(wanted.ids)[:MOST_IDS],
        "shown_at__gte": wanted.since,
        "shown_at__lt": wanted.until,
    }
    found = found.filter(**{name: value for name, value in exact.items() if value is not None})
    if wanted.name:
        text = storable(wanted.name)
        named = Q(name__icontains=text) | Q(job__icontains=text) | Q(public_id__iexact=text)
        found = found.filter(named)
    return found.filter(pk__in=_on_host(actor, wanted.host)) if wanted.host else found


def _last_state() -> Coalesce:
    last = Attempt.objects.filter(session=OuterRef("pk")).order_by("-number", "-id")
    return Coalesce(Subquery(last.values("state")[:1]), Value("unknown"), output_field=CharField())


def _on_host(actor: Actor, host: str) -> QuerySet[Any, Any]:
    """Return the sessions that ran on a host under any of its names.

    None of a cluster that the reader left; others' once who runs the cluster said where.
    """
    spelt = {host, host.lower(), host.upper()}
    for cluster in access_clusters(actor=actor):
        aliases = host_names.alias_table(cluster_id=cluster.pk, reader_id=actor.organization.pk)
        name = host_names.resolve(name=host, aliases=aliases)
        spelt |= {name} | {each for each, node in aliases.items() if node == name}
    left = SessionParty.objects.for_organization(actor.organization).exclude(left_at=None)
    counts = Q(hosts_asserted=True) | Q(organization=actor.organization)
    ran = Attempt.objects.filter(counts, hosts__overlap=sorted(spelt))
    return ran.exclude(session__in=left.values("session_id")).values("session_id")
