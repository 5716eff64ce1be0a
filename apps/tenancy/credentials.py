"""Credentials: tokens, shown once and kept as digests; secrets of sources, encrypted."""

import base64
import hashlib
import hmac
import re
import secrets
import string
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db.models import Q

from apps.tenancy.lookups import token_owner
from apps.tenancy.models import Organization, Token, TokenScope
from apps.tenancy.scope import organization_scope

MARK = "flt"  # lets secret scanners know a leaked token
PREFIX_LENGTH = 8
RANDOM_LENGTH = 34  # of 62 letters and digits: 202 bits, so a fast digest is enough
CHECKSUM_LENGTH = 6  # tells scanners of leaked texts a token from what only looks like one
SECRET_LENGTH = RANDOM_LENGTH + CHECKSUM_LENGTH
PRESENTED_LIMIT = 200
SHAPE = re.compile(rf"{MARK}_[A-Za-z0-9]{{{PREFIX_LENGTH}}}_[A-Za-z0-9]{{{SECRET_LENGTH}}}")
PASTED = " \t\r\n\"'"
UNREADABLE = (
    f"This is no token: one begins with {MARK}_, has"
    f" {len(MARK) + PREFIX_LENGTH + SECRET_LENGTH + 2} characters and no space or line end in it."
    " Paste it again, in one piece."
)
USE_NOTED_EVERY = timedelta(seconds=60)
_ALPHABET = string.ascii_letters + string.digits
DIGITS = string.digits + string.ascii_letters  # of base 62: 0-9 a-z A-Z


class CredentialRefused(Exception):
    """The token is unknown, expired or revoked. Which of these is nobody's business."""


class TokenUnreadable(CredentialRefused):
    """What was sent is not shaped like a token, so that it can be said how one looks."""


class ScopeMissing(CredentialRefused):
    """The token is good, but not for this."""


class SealBroken(Exception):
    """None of the secret keys opens it: a key was removed before secrets were sealed anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedToken:
    """A new token with its clear text, which exists only here."""

    token: Token
    clear_text: str


def issue(
    *,
    organization: Organization,
    name: str,
    scopes: frozenset[TokenScope],
    now: datetime,
    clusters: tuple[int, ...] = (),
    expires_at: datetime | None = None,
) -> IssuedToken:
    """Make a token and return it with its clear text. Needs the organization's scope."""
    prefix = letters(PREFIX_LENGTH)
    unchecked = f"{MARK}_{prefix}_{letters(RANDOM_LENGTH)}"
    clear_text = unchecked + checksum_of(unchecked)
    token = Token.objects.create(
        organization=organization,
        name=name,
        prefix=f"{MARK}_{prefix}",
        digest=digest_of(clear_text),
        scopes=sorted(scopes),
        clusters=list(clusters),
        created_at=now,
        expires_at=expires_at,
    )
    return IssuedToken(token=token, clear_text=clear_text)


def verify(*, presented: str, scope: TokenScope, now: datetime) -> Token:
    """Return the token that was presented if it may do this now; raise CredentialRefused."""
    token = authenticate(presented=presented, now=now)
    if scope not in token.scopes:
        raise ScopeMissing
    return token


def authenticate(*, presented: str, now: datetime) -> Token:
    """Return the token that was presented, whatever it may do; raise CredentialRefused.

    Looked up by digest, so the time it takes says nothing about the characters that were right.
    Spaces, line ends and quotes around it come from pasting and are left out.
    """
    if len(presented) > PRESENTED_LIMIT:
        raise TokenUnreadable
    presented = presented.strip(PASTED)
    if not SHAPE.fullmatch(presented):
        raise TokenUnreadable
    digest = digest_of(presented)
    found = token_owner(digest=digest)
    if found is None:
        raise CredentialRefused
    token_id, organization_id = found
    with organization_scope(organization_id):
        token = Token.objects.for_organization(organization_id).filter(id=token_id).first()
        if token is None or not _is_good(token=token, digest=digest, now=now):
            raise CredentialRefused
        _note_use(token=token, now=now)
    return token


def revoke(*, token: Token, now: datetime) -> bool:
    """End a token at once and say whether it was alive. Needs the organization's scope."""
    alive = Token.objects.for_organization(token.organization_id).filter(
        id=token.pk, revoked_at=None
    )
    return bool(alive.update(revoked_at=now))


def digest_of(clear_text: str) -> bytes:
    """Return what is kept of a token."""
    return hashlib.sha256(clear_text.encode()).digest()


def checksum_of(text: str) -> str:
    """Return the CRC-32 of a token's text before it, in base 62, as it stands at its end.

    Nothing is decided by it here: tokens from before it was there have none.
    """
    rest, digits = zlib.crc32(text.encode()), ""
    for _place in range(CHECKSUM_LENGTH):
        rest, digit = divmod(rest, len(DIGITS))
        digits = DIGITS[digit] + digits
    return digits


def letters(count: int) -> str:
    """Return random letters and digits, each worth almost six bits."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(count))


def seal(*, secret: str) -> bytes:
    """Encrypt a secret with the first of the portal's keys."""
    return _keys(tuple(settings.PORTAL_SECRET_KEYS)).encrypt(secret.encode())


def unseal(*, sealed: bytes | memoryview) -> str:
    """Return the secret, whichever of the portal's keys it was sealed with."""
    try:
        return _keys(tuple(settings.PORTAL_SECRET_KEYS)).decrypt(bytes(sealed)).decode()
    except InvalidToken as error:
        raise SealBroken(
            "no key in PORTAL_SECRET_KEYS opens this secret; put the former key back at the end "
            "of the list, or enter the credential again"
        ) from error


def reseal(*, sealed: bytes | memoryview) -> bytes:
    """Return the same secret, encrypted with the first of the portal's keys."""
    return seal(secret=unseal(sealed=sealed))


def _is_good(*, token: Token, digest: bytes, now: datetime) -> bool:
    is_same = hmac.compare_digest(bytes(token.digest), digest)
    is_expired = token.expires_at is not None and token.expires_at <= now
    return is_same and not is_expired and token.revoked_at is None


def _note_use(*, token: Token, now: datetime) -> None:
    # At most one write a minute: a busy sender would otherwise rewrite its row with each push.
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - USE_NOTED_EVERY)
    if token.last_used_at is None or token.last_used_at < now - USE_NOTED_EVERY:
        own = Token.objects.for_organization(token.organization_id)
        own.filter(stale, id=token.pk).update(last_used_at=now)


@lru_cache(maxsize=4)
def _keys(texts: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(_derived(text)) for text in texts])


def _derived(text: str) -> bytes:
    # The same settings also sign cookies: a key of its own for each purpose.
    kdf = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=b"portal source credentials")
    return base64.urlsafe_b64encode(kdf.derive(text.encode()))
