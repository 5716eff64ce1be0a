"""Who belongs to an organization, as its members see and its admins change it."""

from dataclasses import dataclass

from apps.tenancy.access import Actor, Right
from apps.tenancy.models import MemberRole, Membership, User


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A person and what the person may do here."""

    user: User
    role: MemberRole


def access_members(*, actor: Actor) -> list[Member]:
    """Return the members of the actor's organization, by name. Needs its scope."""
    actor.require(Right.READ)
    own = Membership.objects.for_organization(actor.organization).select_related("user")
    return [
        Member(user=each.user, role=MemberRole(each.role))
        for each in own.order_by("user__username")
    ]
