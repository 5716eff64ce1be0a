"""Doors to sources: an organization sees and changes its own and no others."""

from django.db.models import Q, QuerySet

from apps.telemetry.models import Source
from apps.tenancy.access import Actor, NotFound, Right


def access_sources(*, actor: Actor, cluster: str | None = None) -> QuerySet[Source]:
    """Return the sources of the actor's organization, of one cluster if named."""
    actor.require(Right.READ)
    own = Source.objects.for_organization(actor.organization)
    wanted = Q(cluster__slug=cluster) if cluster else Q()
    return own.filter(wanted).select_related("cluster").order_by("name", "id")


def access_source(*, actor: Actor, public_id: str, right: Right = Right.READ) -> Source:
    """Return one of these sources; raise NotFound."""
    actor.require(right)
    own = Source.objects.for_organization(actor.organization)
    found = own.filter(public_id=public_id).select_related("cluster").first()
    if found is None:
        raise NotFound
    return found
