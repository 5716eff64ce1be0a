"""Whose account is connected with the organization's provider, and who was removed by an admin."""

from dataclasses import dataclass

from django.db.models import F

from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.lookups import memberships_of
from apps.tenancy.models import OwnedQuerySet, ProviderIdentity, User
from apps.tenancy.single_sign_on.provider_lookup import code_of
from apps.tenancy.single_sign_on.provider_settings import provider_row


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderConnection:
    """How a member's account stands with the organization's provider."""

    code: str  # of the link to sign in; empty without a provider
    is_connected: bool
    can_connect: bool
    can_disconnect: bool  # there is a password to sign in with


def connection_of(*, actor: Actor, user: User) -> ProviderConnection:
    """Return how it stands with the actor's own account. Needs the organization's scope."""
    actor.require(Right.READ)
    row = provider_row(organization=actor.organization)
    is_connected = _of(actor, user).exists()
    is_offered = row is not None and row.is_enabled and user.has_usable_password()
    can_connect = is_offered and not is_connected
    if can_connect:
        can_connect = memberships_of(user_id=user.pk) == [actor.organization.pk]
    return ProviderConnection(
        code=code_of(organization=actor.organization, public_id=row.public_id) if row else "",
        is_connected=is_connected,
        can_connect=can_connect,
        can_disconnect=is_connected and user.has_usable_password(),
    )


def disconnect(*, actor: Actor, user: User) -> None:
    """Let the provider open an account no more, and end its sessions; raise NotFound.

    Needs the organization's scope.
    """
    if not user.has_usable_password() or not _of(actor, user).delete()[0]:
        raise NotFound
    User.objects.filter(pk=user.pk).update(session_epoch=F("session_epoch") + 1)
    user.refresh_from_db(fields=["session_epoch"])


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


def _of(actor: Actor, user: User) -> OwnedQuerySet[ProviderIdentity]:
    return ProviderIdentity.objects.for_organization(actor.organization).filter(user=user)
