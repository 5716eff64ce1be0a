"""Who somebody is here that a provider vouches for, and what the person may do.

A provider speaks for its organization alone. So an account that it opens belongs to no other one,
and no account of somebody else is taken over because it has the same mail address.
"""

import secrets
from collections.abc import Set
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F

from apps.tenancy.audit.audit_log import AuditAction, record
from apps.tenancy.lookups import memberships_of
from apps.tenancy.models import (
    IdentityProvider,
    MemberRole,
    Membership,
    OwnedQuerySet,
    ProviderIdentity,
    User,
)
from apps.tenancy.people.account import NAME_LIMIT, BadAccount, checked_username
from apps.tenancy.people.invited_addresses import claim_for_address
from apps.tenancy.people.members import end_links_by, forget_password_links, is_last_admin
from apps.tenancy.scope import organization_scope
from apps.tenancy.single_sign_on.provider_lookup import SignInProvider
from apps.tenancy.single_sign_on.vouched_identity import NotLetIn, VouchedIdentity

RANKS = (MemberRole.ADMIN, MemberRole.RESPONDER, MemberRole.VIEWER)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderArrival:
    """Somebody comes back from a provider."""

    provider: SignInProvider
    identity: VouchedIdentity
    remote_address: str | None
    now: datetime


def let_in(arrival: ProviderArrival) -> User:
    """Return the person with the role that the groups give; raise NotLetIn. Opens the scope."""
    given = role_of(provider=arrival.provider, groups=arrival.identity.groups)
    with organization_scope(arrival.provider.organization.pk):
        _wait_for_turn(arrival)
        row = _known(arrival).select_for_update(of=("self",)).select_related("user").first()
        if row is not None:
            _check_account(arrival, row)
        invited = _invited_role(arrival, row)
        role = highest_of({each for each in (given, invited) if each is not None})
        if row is None and role is not None:
            row = _new(arrival)
        if row is not None:
            is_kept = _apply(arrival, row.user, role)
            row.last_used_at, row.invited_role = arrival.now, invited or ""
            row.save(update_fields=["last_used_at", "invited_role"])
            if is_kept:
                return row.user
    raise NotLetIn("no-group")


def connect(arrival: ProviderArrival, *, user: User) -> None:
    """Let a member sign in through the provider from now on; raise NotLetIn. Opens the scope."""
    organization = arrival.provider.organization
    with organization_scope(organization.pk):
        _wait_for_turn(arrival)
        if memberships_of(user_id=user.pk) != [organization.pk]:
            raise NotLetIn("several-organizations")
        if _known(arrival).exists() or _of(arrival, user).exists():
            raise NotLetIn("connected-already")
        _make_identity(arrival, user)
        _note(arrival, "identity.connected", user)


def role_of(*, provider: SignInProvider, groups: frozenset[str]) -> MemberRole | None:
    """Return the highest role that the groups give, else that of people without one of them."""
    given = {provider.role_by_group[group] for group in groups & provider.role_by_group.keys()}
    return highest_of(given) or provider.role_without_group


def highest_of(roles: Set[MemberRole]) -> MemberRole | None:
    """Return the role that may do most, if there is one."""
    return next((role for role in RANKS if role in roles), None)


def _invited_role(arrival: ProviderArrival, row: ProviderIdentity | None) -> MemberRole | None:
    """Return what an admin's invitation gives: one of before, or one that waits for the address."""
    organization = arrival.provider.organization
    if row is not None and row.invited_role:
        return MemberRole(row.invited_role)
    if row is not None and _membership(arrival, row.user).exists():
        return None
    found = claim_for_address(
        organization=organization, email=arrival.identity.email, now=arrival.now
    )
    return MemberRole(found.role) if found else None


def _wait_for_turn(arrival: ProviderArrival) -> None:
    # Of two first sign-ins of one person the second finds what the first made.
    rows = IdentityProvider.objects.for_organization(arrival.provider.organization)
    if not rows.select_for_update().values_list("pk", flat=True):
        raise NotLetIn("provider-gone")


def _known(arrival: ProviderArrival) -> OwnedQuerySet[ProviderIdentity]:
    own = ProviderIdentity.objects.for_organization(arrival.provider.organization)
    return own.filter(issuer=arrival.provider.issuer, subject=arrival.identity.subject)


def _of(arrival: ProviderArrival, user: User) -> OwnedQuerySet[ProviderIdentity]:
    own = ProviderIdentity.objects.for_organization(arrival.provider.organization)
    return own.filter(user=user)


def _membership(arrival: ProviderArrival, user: User) -> OwnedQuerySet[Membership]:
    own = Membership.objects.for_organization(arrival.provider.organization)
    return own.filter(user=user)


def _check_account(arrival: ProviderArrival, row: ProviderIdentity) -> None:
    if row.barred_at is not None or not row.user.is_active:
        raise NotLetIn("barred")
    if set(memberships_of(user_id=row.user_id)) - {arrival.provider.organization.pk}:
        raise NotLetIn("several-organizations")


def _new(arrival: ProviderArrival) -> ProviderIdentity:
    organization, email = arrival.provider.organization, arrival.identity.email
    members = Membership.objects.for_organization(organization)
    if members.filter(user__email__iexact=email).exists():
        raise NotLetIn("account-exists")
    user = User(
        username=_free_username(email),
        first_name=arrival.identity.name,
        email=email,
        confirmed_email=email,
    )
    user.set_unusable_password()
    user.save(force_insert=True)
    return _make_identity(arrival, user)


def _make_identity(arrival: ProviderArrival, user: User) -> ProviderIdentity:
    return ProviderIdentity.objects.create(
        organization=arrival.provider.organization,
        issuer=arrival.provider.issuer,
        subject=arrival.identity.subject,
        user=user,
        connected_at=arrival.now,
    )


def _free_username(email: str) -> str:
    """Return a name that nobody has: the address, with a random end where somebody has it."""
    try:
        wanted = checked_username(text=email)
    except BadAccount:
        wanted = "member"
    if wanted == email and not User.objects.filter(username__iexact=wanted).exists():
        return wanted
    return f"{wanted[: NAME_LIMIT - 9]}-{secrets.token_hex(4)}"


def _apply(arrival: ProviderArrival, user: User, role: MemberRole | None) -> bool:
    """Give the role that the groups say, and say whether the person belongs here still.

    Who alone can manage the organization with a password stays its admin.
    """
    organization = arrival.provider.organization
    row = _membership(arrival, user).select_for_update(of=("self",)).first()
    if row is None:
        if role is not None:
            Membership.objects.create(organization=organization, user=user, role=role)
            _note(arrival, "member.joined", user, f"{user.username} {role.value}")
        return role is not None
    if row.role == role:
        return True
    if user.has_usable_password() and is_last_admin(organization=organization, membership=row):
        return role is not None  # whoever has no group is not let in here, but with the password
    if role != MemberRole.ADMIN:
        end_links_by(organization=organization, user=user, now=arrival.now)
    if role is None:
        forget_password_links(organization=organization, user=user)
        row.delete()
        User.objects.filter(pk=user.pk).update(session_epoch=F("session_epoch") + 1)
        _note(arrival, "member.removed", user, user.username)
        return False
    row.role = role
    row.save(update_fields=["role"])
    _note(arrival, "member.role_changed", user, f"{user.username} {role.value}")
    return True


def _note(arrival: ProviderArrival, action: str, user: User, subject: str = "") -> None:
    act = AuditAction(
        action=action,
        subject=subject or user.username,
        actor="provider",
        remote_address=arrival.remote_address,
    )
    record(organization_id=arrival.provider.organization.pk, act=act, now=arrival.now)
