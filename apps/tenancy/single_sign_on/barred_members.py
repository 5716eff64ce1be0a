"""Who was removed by an admin: the provider's word alone brings nobody back."""

from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.models import ProviderIdentity


def barred(*, actor: Actor) -> list[str]:
    """Return the names of who was removed, in order. Needs the organization's scope."""
    actor.require(Right.MANAGE)
    own = ProviderIdentity.objects.for_organization(actor.organization).exclude(barred_at=None)
    return list(own.order_by("user__username").values_list("user__username", flat=True))


def let_in_again(*, actor: Actor, username: str) -> None:
    """Let the groups decide about somebody again; raise NotFound. Needs the scope."""
    actor.require(Right.MANAGE)
    own = ProviderIdentity.objects.for_organization(actor.organization).exclude(barred_at=None)
    if not own.filter(user__username=username).update(barred_at=None):
        raise NotFound
