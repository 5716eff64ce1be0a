"""Whether an organization asks its members for a second factor, and who has none yet."""

from allauth.mfa.models import Authenticator
from django.db.models import Exists, OuterRef

from apps.tenancy.access import Actor, Right, has_second_factor
from apps.tenancy.lookups import memberships_of
from apps.tenancy.models import Membership, Organization, User


class OwnFactorMissing(Exception):
    """Who asks others for one has none: it would be locked out first."""


def require_second_factor(*, actor: Actor, is_required: bool) -> bool:
    """Ask members for a second factor from now on, or no longer; say whether that is new.

    Raise NotFound, OwnFactorMissing.
    """
    actor.require(Right.MANAGE)
    if is_required and (actor.user is None or not has_second_factor(user=actor.user)):
        raise OwnFactorMissing
    before = Organization.objects.filter(
        pk=actor.organization.pk, requires_second_factor=not is_required
    )
    return bool(before.update(requires_second_factor=is_required))


def members_without(*, actor: Actor) -> frozenset[int]:
    """Return the ids of the actor's members who have no second factor. Needs its scope."""
    actor.require(Right.MANAGE)
    own = Membership.objects.for_organization(actor.organization)
    factors = Authenticator.objects.exclude(type=Authenticator.Type.RECOVERY_CODES)
    without = own.exclude(Exists(factors.filter(user=OuterRef("user"))))
    return frozenset(without.values_list("user_id", flat=True))


def must_keep_one(*, user: User) -> bool:
    """Say whether an organization of the person asks for a second factor."""
    own = Organization.objects.filter(id__in=memberships_of(user_id=user.pk))
    return own.filter(requires_second_factor=True).exists()
