"""What a provider vouches for, read as far as words can be checked: whose address, which groups."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from apps.tenancy.people.account import NAME_LIMIT, BadAccount, checked_email
from apps.tenancy.single_sign_on.mail_domains import domain_of
from apps.tenancy.single_sign_on.provider_lookup import SignInProvider

# Issuers that sign anybody in, not the people of one organization.
ISSUERS_OF_EVERYBODY: Final = frozenset({"https://accounts.google.com"})


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


def read_identity(*, provider: SignInProvider, claims: Mapping[str, Any]) -> VouchedIdentity:
    """Return who is vouched for; raise NotLetIn for an address that proves nothing here."""
    email = claims.get("email")
    # Who says that it is not verified is believed, whatever an admin says of the provider.
    is_verified = claims.get("email_verified", provider.vouches_for_addresses)
    if not isinstance(email, str) or is_verified is not True:
        raise NotLetIn("mail-unverified")
    try:
        email = checked_email(text=email)
    except BadAccount:
        raise NotLetIn("mail-unverified") from None
    if not email or domain_of(email=email) not in provider.domains:
        raise NotLetIn("mail-domain")
    _check_tenant(provider, claims)
    name = claims.get("name")
    return VouchedIdentity(
        subject=claims["sub"],
        email=email,
        name=_one_line(name) if isinstance(name, str) else "",
        groups=_groups(provider, claims),
    )


def _check_tenant(provider: SignInProvider, claims: Mapping[str, Any]) -> None:
    """Ask of an issuer that serves everybody whether the account is the organization's own.

    Anybody can make a Google account with an address of another domain; only those that the domain
    manages, and takes away, have `hd`.
    """
    tenant = claims.get("hd")
    if provider.issuer not in ISSUERS_OF_EVERYBODY:
        return
    if not isinstance(tenant, str) or tenant.lower() not in provider.domains:
        raise NotLetIn("not-managed")


def _groups(provider: SignInProvider, claims: Mapping[str, Any]) -> frozenset[str]:
    elsewhere = claims.get("_claim_names")
    if isinstance(elsewhere, dict) and provider.group_claim in elsewhere:
        # They are too many for a token: no group here would mean all of them were left.
        raise NotLetIn("groups-elsewhere")
    given = claims.get(provider.group_claim)
    listed = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    return frozenset(each for each in listed if isinstance(each, str))


def _one_line(text: str) -> str:
    return "".join(c for c in " ".join(text.split()) if c.isprintable())[:NAME_LIMIT]
