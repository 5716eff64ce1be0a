"""Tokens as an admin of an organization manages them: make, list, revoke."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.credentials import IssuedToken, issue, revoke
from apps.tenancy.models import Token, TokenScope

NAME_LENGTH = 80


class BadToken(ValueError):
    """A token can't be made like this."""


class NameMissing(BadToken):
    """It has no name, or one that is too long or can't be read: line ends, escapes."""


class TokenNameTaken(BadToken):
    """Another token of the organization is or was called so."""


class ScopesMissing(BadToken):
    """It would be good for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenWish:
    """A token as an admin asks for it."""

    name: str
    scopes: frozenset[TokenScope]
    clusters: tuple[int, ...] = ()
    lasts: timedelta | None = None  # without, until it is revoked


def access_tokens(*, actor: Actor) -> list[Token]:
    """Return the tokens of the actor's organization, living ones first. Needs its scope."""
    actor.require(Right.MANAGE)
    own = Token.objects.for_organization(actor.organization).defer("digest")
    return sorted(own.order_by("name", "id"), key=lambda token: token.revoked_at is not None)


def access_token(*, actor: Actor, prefix: str) -> Token:
    """Return one of these tokens; raise NotFound. Needs the scope."""
    actor.require(Right.MANAGE)
    own = Token.objects.for_organization(actor.organization).defer("digest")
    token = own.filter(prefix=prefix).first()
    if token is None:
        raise NotFound
    return token


def make_token(*, actor: Actor, wish: TokenWish, now: datetime) -> IssuedToken:
    """Make a token of the actor's organization; raise BadToken. Needs its scope."""
    actor.require(Right.MANAGE)
    name = wish.name.strip()
    if not name or len(name) > NAME_LENGTH or not name.isprintable():
        raise NameMissing
    if not wish.scopes:
        raise ScopesMissing
    try:
        with transaction.atomic():
            return issue(
                organization=actor.organization,
                name=name,
                scopes=wish.scopes,
                clusters=wish.clusters,
                expires_at=now + wish.lasts if wish.lasts else None,
                now=now,
            )
    except IntegrityError:
        raise TokenNameTaken from None


def revoke_token(*, actor: Actor, prefix: str, now: datetime) -> bool:
    """End a token at once and say whether it was alive; raise NotFound. Needs the scope."""
    return revoke(token=access_token(actor=actor, prefix=prefix), now=now)
