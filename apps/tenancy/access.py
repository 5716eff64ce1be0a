"""Roles, rights, and what the doors of the other apps are made of."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from allauth.mfa.models import Authenticator
from django.db.models import Q

from apps.tenancy.lookups import memberships_of
from apps.tenancy.models import MemberRole, Membership, Organization, Token, TokenScope, User
from apps.tenancy.scope import organization_scope


class NotFound(Exception):
    """What was asked for is not there, or not for this actor. The two look the same on purpose.

    `owner_id` is no part of the answer: it says in whose record, too, the refusal stands.
    """

    def __init__(self, *, owner_id: int | None = None) -> None:
        super().__init__()
        self.owner_id = owner_id


class SecondFactorMissing(NotFound):
    """The organization is there for this person, with a second factor, which it has not got."""

    def __init__(self, organization: Organization) -> None:
        super().__init__()
        self.organization = organization


class Right(StrEnum):
    """What an actor wants to do inside its own organization."""

    READ = "read"
    ACT = "act"
    MANAGE = "manage"


RIGHTS_OF_ROLE = {
    MemberRole.VIEWER: frozenset({Right.READ}),
    MemberRole.RESPONDER: frozenset({Right.READ, Right.ACT}),
    MemberRole.ADMIN: frozenset({Right.READ, Right.ACT, Right.MANAGE}),
}
RIGHTS_OF_SCOPE = {
    TokenScope.READ: frozenset({Right.READ}),
    TokenScope.WRITE: frozenset({Right.ACT}),
    TokenScope.INGEST: frozenset[Right](),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who asks: a person or a token, inside one organization, with rights."""

    organization: Organization
    rights: frozenset[Right]
    user: User | None = None
    token: Token | None = None
    member_of: frozenset[int] | None = None  # a person's organizations, where they were read

    @property
    def label(self) -> str:
        """Name the actor in the audit record, without a secret."""
        if self.user is not None:
            return self.user.label
        return f"token:{self.token.prefix}" if self.token else "nobody"

    @property
    def name(self) -> str:
        """Return what other people call the actor."""
        if self.user is not None:
            return self.user.get_full_name() or self.user.get_username()
        return self.token.name if self.token else ""

    def require(self, right: Right) -> None:
        """Raise NotFound unless the actor may do this."""
        if right not in self.rights:
            raise NotFound


def actor_for_user(*, user: User, slug: str) -> Actor:
    """Return who is signed in as an actor of the organization named in the path.

    Raise NotFound; SecondFactorMissing where all that is missing is that.
    """
    actor = actor_for_member(user=user, slug=slug)
    if actor.organization.requires_second_factor and not has_second_factor(user=user):
        raise SecondFactorMissing(actor.organization)
    return actor


def actor_for_member(*, user: User, slug: str) -> Actor:
    """Return the person as an actor, however it signs in: for commands of the portal's machine."""
    organization = Organization.objects.filter(slug=slug).first()
    member_of = frozenset(memberships_of(user_id=user.pk)) if organization else frozenset[int]()
    if organization is None or organization.pk not in member_of:
        raise NotFound
    with organization_scope(organization.pk):
        membership = Membership.objects.filter(organization=organization, user=user).first()
    if membership is None or not user.is_active:
        raise NotFound
    return Actor(
        organization=organization,
        rights=RIGHTS_OF_ROLE[MemberRole(membership.role)],
        user=user,
        member_of=member_of,
    )


def has_second_factor(*, user: User) -> bool:
    """Say whether signing in asks for more than the password; recovery codes alone are none."""
    own = Authenticator.objects.filter(user=user)
    return bool(own.exclude(type=Authenticator.Type.RECOVERY_CODES).exists())


def actor_for_token(*, token: Token, slug: str | None = None) -> Actor:
    """Return a verified token as an actor; another organization's path is not found."""
    organization = Organization.objects.get(pk=token.organization_id)
    if slug is not None and organization.slug != slug:
        raise NotFound
    rights = frozenset[Right]().union(*(RIGHTS_OF_SCOPE[TokenScope(s)] for s in token.scopes))
    return Actor(organization=organization, rights=rights, token=token)


def require_still(*, actor: Actor, now: datetime) -> None:
    """Raise NotFound where the actor would not be let in any more, to read. Opens the scope.

    For answers that are read and sent piece by piece: they take minutes where the reader is slow.
    """
    if actor.user is not None:
        fresh = User.objects.filter(
            pk=actor.user.pk, session_epoch=actor.user.session_epoch
        ).first()
        if fresh is None:
            raise NotFound
        actor_for_user(user=fresh, slug=actor.organization.slug).require(Right.READ)
    elif actor.token is not None:
        with organization_scope(actor.organization.pk):
            own = Token.objects.for_organization(actor.organization).filter(pk=actor.token.pk)
            living = own.filter(Q(expires_at=None) | Q(expires_at__gt=now), revoked_at=None)
            if not living.exists():
                raise NotFound
