"""Who belongs to an organization, as its members see and its admins change it."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import F

from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.models import (
    Invitation,
    MemberRole,
    Membership,
    Organization,
    ProviderIdentity,
    User,
)


class LastAdmin(Exception):
    """Nobody else could manage the organization."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A person and what the person may do here."""

    user: User
    role: MemberRole
    is_needed: bool = False  # nobody else could manage the organization


def access_members(*, actor: Actor) -> list[Member]:
    """Return the members of the actor's organization, by name. Needs its scope."""
    actor.require(Right.READ)
    own = Membership.objects.for_organization(actor.organization).select_related("user")
    rows = list(own.order_by("user__username"))
    managing = {each.pk for each in rows if _may_manage(each)}
    return [
        Member(
            user=each.user,
            role=MemberRole(each.role),
            is_needed=each.role == MemberRole.ADMIN and not managing - {each.pk},
        )
        for each in rows
    ]


def access_member(*, actor: Actor, username: str) -> Member:
    """Return one of them; raise NotFound. Needs the organization's scope."""
    found = [each for each in access_members(actor=actor) if each.user.username == username]
    if not found:
        raise NotFound
    return found[0]


def change_role(*, actor: Actor, username: str, role: MemberRole, now: datetime) -> bool:
    """Let a member do more or less, and say whether it changed; raise NotFound, LastAdmin.

    Needs the organization's scope.
    """
    actor.require(Right.MANAGE)
    membership = _membership(actor, username=username)
    if membership.role == role:
        return False
    if role != MemberRole.ADMIN:
        _keep_an_admin(actor, without=membership)
        end_links_by(organization=actor.organization, user=membership.user, now=now)
    membership.role = role
    membership.save(update_fields=["role"])
    # What an invitation gave is given again at each sign-in: as an admin says it now.
    identities = ProviderIdentity.objects.for_organization(actor.organization)
    invited = identities.filter(user=membership.user).exclude(invited_role="")
    invited.update(invited_role=role)
    return True


def remove_member(*, actor: Actor, username: str, now: datetime) -> User:
    """Take a person out of the organization and end its sessions; raise NotFound, LastAdmin.

    Needs the organization's scope.
    """
    actor.require(Right.MANAGE)
    membership = _membership(actor, username=username)
    _keep_an_admin(actor, without=membership)
    forget_password_links(organization=actor.organization, user=membership.user)
    end_links_by(organization=actor.organization, user=membership.user, now=now)
    identities = ProviderIdentity.objects.for_organization(actor.organization)
    # Else a sign-in would undo it.
    identities.filter(user=membership.user).update(barred_at=now, invited_role="")
    membership.delete()
    User.objects.filter(pk=membership.user_id).update(session_epoch=F("session_epoch") + 1)
    return membership.user


def _membership(actor: Actor, *, username: str) -> Membership:
    own = Membership.objects.for_organization(actor.organization).select_related("user")
    found = own.filter(user__username=username).first()
    if found is None:
        raise NotFound
    return found


def end_links_by(*, organization: Organization, user: User, now: datetime) -> None:
    """End the invitations that a person made who manages no more. Needs the scope."""
    # Who kept the text of one would come back with it, as an admin even.
    label = Actor(organization=organization, rights=frozenset(), user=user).label
    made = Invitation.objects.for_organization(organization).filter(invited_by=label)
    made.filter(used_at=None, revoked_at=None).update(revoked_at=now)


def forget_password_links(*, organization: Organization, user: User) -> None:
    """Forget the links by which a person who is a member no longer sets a password.

    Needs the scope.
    """
    Invitation.objects.for_organization(organization).filter(user=user).delete()


def is_last_admin(*, organization: Organization, membership: Membership) -> bool:
    """Say whether nobody else could manage the organization. Needs its scope.

    Under lock: of two admins who remove each other, the second waits and is refused.
    """
    own = Membership.objects.for_organization(organization).filter(role=MemberRole.ADMIN)
    locked = own.select_for_update(of=("self",)).select_related("user").order_by("id")
    admins = {each.pk for each in locked if _may_manage(each)}
    return membership.role == MemberRole.ADMIN and not admins - {membership.pk}


def _keep_an_admin(actor: Actor, *, without: Membership) -> None:
    if is_last_admin(organization=actor.organization, membership=without):
        raise LastAdmin


def _may_manage(membership: Membership) -> bool:
    user = membership.user
    is_able = user.is_active and user.has_usable_password()
    return membership.role == MemberRole.ADMIN and is_able
