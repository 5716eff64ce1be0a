"""Deliveries of a webhook as their rows tell of them."""

from apps.notifications.models import Delivery
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope


def deliveries(who: Organization) -> list[Delivery]:
    """Return all deliveries, oldest first."""
    with organization_scope(who.pk):
        return list(Delivery.objects.order_by("id"))
