"""People and the organizations they belong to."""

from apps.tenancy.access import Actor, Right, has_second_factor
from apps.tenancy.lookups import memberships_of
from apps.tenancy.models import MemberRole, Membership, Organization, User


def organizations_of(*, user: User) -> list[Organization]:
    """Return the organizations a person belongs to, by name."""
    ids = memberships_of(user_id=user.pk)
    return list(Organization.objects.filter(id__in=ids).order_by("name", "id"))


def other_organizations_of(*, actor: Actor) -> list[Organization]:
    """Return to which organizations a person belongs beside the actor's, by name."""
    if actor.user is None:
        return []
    known = actor.member_of
    others = {*memberships_of(user_id=actor.user.pk)} if known is None else {*known}
    found = Organization.objects.filter(id__in=others - {actor.organization.pk})
    return list(found.order_by("name", "id"))


def first_organization_of(*, user: User) -> Organization | None:
    """Return where a person is led first: to what opens at once, before what asks for a factor."""
    own = organizations_of(user=user)
    own.sort(key=lambda each: each.is_simulated)  # what is real before what is made up
    if any(each.requires_second_factor for each in own) and not has_second_factor(user=user):
        own.sort(key=lambda each: each.requires_second_factor)
    return own[0] if own else None


def admins_of(*, actor: Actor) -> list[User]:
    """Return who manages the actor's organization, by name. Needs its scope."""
    actor.require(Right.READ)
    admins = Membership.objects.for_organization(actor.organization).filter(role=MemberRole.ADMIN)
    people = User.objects.filter(id__in=admins.values("user_id"), is_active=True)
    return list(people.order_by("username"))
