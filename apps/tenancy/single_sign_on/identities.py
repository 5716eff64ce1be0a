"""Who somebody is here that a provider vouches for, and what the person may do.

A provider speaks for its organization alone. So an account that it opens belongs to no other one,
and no account of somebody else is taken over because it has the same mail address.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

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
from apps.tenancy.people.account import BadAccount, checked_email, checked_username
from apps.tenancy.people.members import is_last_admin
from apps.tenancy.scope import organization_scope
from apps.tenancy.single_sign_on.mail_domains import domain_of
from apps.tenancy.single_sign_on.provider_lookup import SignInProvider

NAME_LIMIT = 150
RANKS = (MemberRole.ADMIN, MemberRole.RESPONDER, MemberRole.VIEWER)


class NotLetIn(Exception):
    """The provider is right about who it is, but the person doesn't get in. `reason` is a word."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class VouchedIdentity:
    """What a provider says of a person, checked as far as words can be."""

    subject: str
    email: str
    name: str
    groups: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderArrival:
    """Somebody comes back from a provider."""

    provider: SignInProvider
    identity: VouchedIdentity
    remote_address: str | None
    now: datetime


def read_identity(*, provider: SignInProvider, claims: Mapping[str, Any]) -> VouchedIdentity:
    """Return who is vouched for; raise NotLetIn for an address that proves nothing here."""
    email = claims.get("email")
    if not isinstance(email, str) or claims.get("email_verified") is not True:
        raise NotLetIn("mail-unverified")
    try:
        email = checked_email(text=email)
    except BadAccount:
        raise NotLetIn("mail-unverified") from None
    if not email or domain_of(email=email) not in provider.domains:
        raise NotLetIn("mail-domain")
    name = claims.get("name")
    return VouchedIdentity(
        subject=claims["sub"],
        email=email,
        name=_one_line(name) if isinstance(name, str) else "",
        groups=_groups(provider, claims),
    )


def let_in(arrival: ProviderArrival) -> User:
    """Return the person with the role that the groups give; raise NotLetIn. Opens the scope."""
    role = role_of(provider=arrival.provider, groups=arrival.identity.groups)
    with organization_scope(arrival.provider.organization.pk):
        _wait_for_turn(arrival)
        row = _known(arrival).select_for_update(of=("self",)).select_related("user").first()
        if row is None and role is not None:
            row = _new(arrival)
        elif row is not None:
            _check_account(arrival, row)
        if row is not None:
            is_kept = _apply(arrival, row.user, role)
            row.last_used_at = arrival.now
            row.save(update_fields=["last_used_at"])
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
    highest = next((role for role in RANKS if role in given), None)
    return highest or provider.role_without_group


def _groups(provider: SignInProvider, claims: Mapping[str, Any]) -> frozenset[str]:
    elsewhere = claims.get("_claim_names")
    if isinstance(elsewhere, dict) and provider.group_claim in elsewhere:
        # They are too many for a token: no group here would mean all of them were left.
        raise NotLetIn("groups-elsewhere")
    given = claims.get(provider.group_claim)
    listed = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    return frozenset(each for each in listed if isinstance(each, str))


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
    own = Membership.objects.for_organization(organization)
    row = own.filter(user=user).select_for_update(of=("self",)).first()
    if row is None:
        if role is not None:
            Membership.objects.create(organization=organization, user=user, role=role)
            _note(arrival, "member.joined", user, f"{user.username} {role.value}")
        return role is not None
    if row.role == role:
        return True
    if user.has_usable_password() and is_last_admin(organization=organization, membership=row):
        return role is not None  # whoever has no group is not let in here, but with the password
    if role is None:
        row.delete()
        User.objects.filter(pk=user.pk).update(session_epoch=F("session_epoch") + 1)
        _note(arrival, "member.removed", user, user.username)
        return False
    row.role = role
    row.save(update_fields=["role"])
    _note(arrival, "member.role_changed", user, f"{user.username} {role.value}")
    return True


def _one_line(text: str) -> str:
    return "".join(c for c in " ".join(text.split()) if c.isprintable())[:NAME_LIMIT]


def _note(arrival: ProviderArrival, action: str, user: User, subject: str = "") -> None:
    deed = AuditAction(
        action=action,
        subject=subject or user.username,
        actor="provider",
        remote_address=arrival.remote_address,
    )
    record(organization_id=arrival.provider.organization.pk, deed=deed, now=arrival.now)
