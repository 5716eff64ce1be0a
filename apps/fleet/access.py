"""Doors to clusters, nodes and sessions: anything named from outside goes through here."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

from django.db.models import Model, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from apps.diagnosis.input_values import storable
from apps.fleet.authority.rules import VENDORS
from apps.fleet.models import (
    Attempt,
    Cluster,
    Device,
    Node,
    Participation,
    Session,
    SessionParty,
)
from apps.fleet.values import ClusterName
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.database.reported_times import ReportedTimeField
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization
from apps.tenancy.one_reading import read_once

Row = TypeVar("Row", bound=Model)
MOST_FORMER = 500


def access_clusters(*, actor: Actor) -> QuerySet[Cluster]:
    """Return the clusters the actor's organization takes part in. Needs its scope."""
    actor.require(Right.READ)
    return clusters_with(organization=actor.organization)


def access_cluster(*, actor: Actor, slug: str) -> Cluster:
    """Return one of these clusters; raise NotFound."""
    rows = access_clusters(actor=actor).filter(slug=storable(slug))
    return read_once(("cluster", actor.organization.pk, slug), lambda: _one(rows.first()))


def row_of_cluster(name: ClusterName, *, is_simulated: bool) -> Cluster:
    """Return the row of a cluster that came through the door: it is not asked for again."""
    return Cluster(pk=name.id, slug=name.slug, name=name.name, is_simulated=is_simulated)


def clusters_with(*, organization: Organization) -> QuerySet[Cluster]:
    """Return the clusters an organization takes part in. Needs its scope."""
    its = Participation.objects.for_organization(organization).values("cluster_id")
    return Cluster.objects.filter(id__in=its).order_by("slug", "id")


def clusters_of_token(*, organization_id: int, ids: Sequence[int]) -> list[Cluster]:
    """Return the clusters a token may write to: of those it lists, the ones not left since."""
    listed = Cluster.objects.filter(id__in=ids).order_by("slug", "id")
    return [each for each in listed if organization_id in parties_of(cluster_id=each.pk)]


def takes_part(*, organization_id: int, cluster_id: int) -> bool:
    """Say whether an organization has any part in a cluster now. Needs its scope."""
    own = Participation.objects.for_organization(organization_id)
    return own.filter(cluster=cluster_id).exists()


def parts_in(*, actor: Actor, cluster: Cluster) -> list[Participation]:
    """Return in which parts the actor's organization takes part."""
    own = Participation.objects.for_organization(actor.organization)
    return list(own.filter(cluster=cluster).order_by("part", "id"))


def is_vendor_alone(*, actor: Actor) -> bool:
    """Say whether an organization only takes part as a vendor: those are told of no sessions."""
    own = Participation.objects.for_organization(actor.organization)
    parts = set(own.values_list("part", flat=True))
    return bool(parts) and parts <= {*VENDORS.values()}


def access_nodes(*, actor: Actor, cluster: str | None = None) -> QuerySet[Node]:
    """Return the nodes the actor's organization owns, of one cluster if named."""
    actor.require(Right.READ)
    own = Node.objects.for_organization(actor.organization)
    wanted = Q(cluster__slug=cluster) if cluster else Q()
    return own.filter(wanted).select_related("cluster").order_by("name", "id")


def access_node(*, actor: Actor, cluster: str, name: str) -> Node:
    """Return one of these nodes; raise NotFound."""
    return _one(access_nodes(actor=actor, cluster=cluster).filter(name=name.lower()).first())


def devices_of(*, actor: Actor, node: Node, at: datetime | None = None) -> list[Device]:
    """Return the parts that sat in a node at a time; without one, those that sit there now."""
    own = Device.objects.for_organization(actor.organization).filter(node=node)
    if at is None:
        found = own.filter(replaced_at=None)
    else:
        found = own.filter(Q(replaced_at=None) | Q(replaced_at__gt=at), first_seen_at__lte=at)
    return list(found.order_by("kind", "index", "name", "id"))


def former_devices_of(*, actor: Actor, node: Node) -> list[Device]:
    """Return the placements in a node that have ended, the last one first."""
    own = Device.objects.for_organization(actor.organization)
    ended = own.filter(node=node, replaced_at__isnull=False)
    return list(ended.order_by("-replaced_at", "kind", "index", "name", "id")[:MOST_FORMER])


def access_sessions(*, actor: Actor, cluster: str | None = None) -> QuerySet[Session]:
    """Return the sessions the actor's organization owns or may see, newest first.

    Tenant, platform and operator may see that a session ran; vendors may not.
    """
    actor.require(Right.READ)
    told = SessionParty.objects.for_organization(actor.organization).values("session_id")
    seen = Session.objects.filter(Q(organization=actor.organization) | Q(id__in=told))
    wanted = Q(cluster__slug=cluster) if cluster else Q()
    found = seen.filter(wanted).select_related("cluster", "organization")
    return found.order_by("-created_at", "-id")


def newest_first(sessions: QuerySet[Session]) -> QuerySet[Session]:
    """Return sessions by when their last attempt started, as lists show them."""
    attempts = Attempt.objects.filter(session=OuterRef("pk")).order_by("-number", "-id")
    started = Coalesce(
        Subquery(attempts.values("started_at")[:1]), "created_at", output_field=ReportedTimeField()
    )
    return sessions.annotate(shown_at=started).order_by("-shown_at", "-id")


def access_session(*, actor: Actor, public_id: str) -> Session:
    """Return one of these sessions; raise NotFound."""
    return _one(access_sessions(actor=actor).filter(public_id=public_id).first())


def _one(row: Row | None) -> Row:
    if row is None:
        raise NotFound
    return row
