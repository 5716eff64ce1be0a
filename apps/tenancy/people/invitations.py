"""Links that work once: made, mailed, revoked.

A link names its organization, so that its secret is looked up inside that scope alone.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils.translation import gettext as _

from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.credentials import digest_of, letters
from apps.tenancy.models import (
    Invitation,
    MemberRole,
    Organization,
    User,
)
from apps.tenancy.people.account import (
    BadAccount,
    checked_email,
    checked_name,
)

LASTS = timedelta(days=7)
SECRET_LENGTH = 40  # of 62 letters and digits: 238 bits, so a fast digest is enough
LETTERS_AT_MOST, PER = 30, timedelta(hours=1)  # of one organization


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitationWish:
    """Whom an admin wants to have as what."""

    role: MemberRole
    name: str = ""
    email: str = ""
    is_mailed: bool = False  # as soon as there is a mail server


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedInvitation:
    """A new invitation with the code of its link, which exists only here."""

    invitation: Invitation
    code: str


def invite(*, actor: Actor, wish: InvitationWish, now: datetime) -> IssuedInvitation:
    """Make a link for a new member; raise BadAccount. Needs the organization's scope."""
    actor.require(Right.MANAGE)
    return issue(
        organization=actor.organization,
        wish=InvitationWish(
            role=wish.role,
            name=checked_name(text=wish.name),
            email=_mailed_to(actor.organization, wish, now),
            is_mailed=wish.is_mailed,
        ),
        invited_by=actor.label,
        now=now,
    )


def issue(
    *,
    organization: Organization,
    wish: InvitationWish,
    invited_by: str,
    now: datetime,
    user: User | None = None,
) -> IssuedInvitation:
    """Make a link; with a user, one that sets that person's password. Needs the scope."""
    secret = letters(SECRET_LENGTH)
    invitation = Invitation.objects.create(
        organization=organization,
        public_id="INV-" + secrets.token_hex(5).upper(),
        digest=digest_of(secret),
        name=wish.name,
        email=wish.email,
        role=wish.role,
        user=user,
        invited_by=invited_by,
        created_at=now,
        expires_at=now + LASTS,
        mail_due_at=now if wish.is_mailed and wish.email else None,
    )
    return IssuedInvitation(invitation=invitation, code=f"{organization.slug}.{secret}")


def pending(*, actor: Actor, now: datetime) -> list[Invitation]:
    """Return the links that still work, the newest first. Needs the organization's scope."""
    actor.require(Right.MANAGE)
    own = Invitation.objects.for_organization(actor.organization).defer("digest")
    return list(own.filter(is_good(now)).select_related("user").order_by("-created_at", "-id"))


def revoke_invitation(*, actor: Actor, public_id: str, now: datetime) -> bool:
    """End a link and say whether it still worked; raise NotFound. Needs the scope."""
    actor.require(Right.MANAGE)
    own = Invitation.objects.for_organization(actor.organization).filter(public_id=public_id)
    if not own.exists():
        raise NotFound
    return bool(own.filter(is_good(now)).update(revoked_at=now))


def _mailed_to(organization: Organization, wish: InvitationWish, now: datetime) -> str:
    email = checked_email(text=wish.email)
    if wish.is_mailed and not email:
        raise BadAccount("email", _("Write the address of the letter, or send none."))
    own = Invitation.objects.for_organization(organization).filter(
        Q(mail_digest__isnull=False) | Q(mail_due_at__isnull=False)  # also what was refused
    )
    if wish.is_mailed and own.filter(created_at__gt=now - PER).count() >= LETTERS_AT_MOST:
        raise BadAccount("email", _("Many links were mailed this hour: make it without a letter."))
    return email


def is_good(now: datetime) -> Q:
    """Return the condition that a link can still be used."""
    return Q(used_at=None, revoked_at=None, expires_at__gt=now)
