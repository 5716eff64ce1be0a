"""An organization's provider as somebody who signs in meets it: found by a link, before a scope."""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field

from apps.tenancy.credentials import unseal
from apps.tenancy.models import (
    IdentityProvider,
    MailDomain,
    MemberRole,
    Organization,
    SignInProtocol,
)
from apps.tenancy.outbound.policy import Policy, policy_for
from apps.tenancy.scope import organization_scope

CODE_LIMIT = 80
NOBODYS = Organization(pk=0)  # no rows are in its scope


class NoSuchProvider(Exception):
    """The link names no provider, or one that is switched off. Which is nobody's business."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInProvider:
    """A provider with what it may vouch for. The secret is clear and kept nowhere."""

    organization: Organization
    code: str  # in the link
    protocol: SignInProtocol
    issuer: str
    client_id: str
    secret: str = field(repr=False)
    scopes: tuple[str, ...]
    group_claim: str
    role_by_group: Mapping[str, MemberRole]
    role_without_group: MemberRole | None
    policy: Policy
    domains: frozenset[str]
    vouches_for_addresses: bool = False  # where it doesn't say whether one is verified
    sign_in_url: str = ""  # of SAML
    certificates: str = ""  # of SAML: PEM, one after the other


def code_of(*, organization: Organization, public_id: str) -> str:
    """Return what stands in the link of an organization's provider."""
    return f"{organization.slug}.{public_id}"


def provider_of_link(*, code: str, also_disabled: bool = False) -> SignInProvider:
    """Return the provider that a link names; raise NoSuchProvider. Opens its scope.

    For a name that no organization has the same is looked up in vain.
    """
    slug, public_id = code[:CODE_LIMIT].partition(".")[::2]
    organization = Organization.objects.filter(slug=slug).first() or NOBODYS
    with organization_scope(organization.pk):
        row = IdentityProvider.objects.for_organization(organization).first()
        own = MailDomain.objects.for_organization(organization).exclude(confirmed_at=None)
        domains = frozenset(own.values_list("domain", flat=True))
    is_meant = row is not None and hmac.compare_digest(
        row.public_id.encode(), public_id.encode(errors="replace")
    )
    if row is None or not is_meant or not (row.is_enabled or also_disabled):
        raise NoSuchProvider
    return _as_met(organization, row, domains)


def link_for_address(*, organization: Organization, email: str) -> str:
    """Return the code by which somebody with this address may sign in, if anyhow. Opens its scope.

    For who is known to the organization: it holds its link to join.
    """
    domain = email.rpartition("@")[2].lower()
    with organization_scope(organization.pk):
        row = (
            IdentityProvider.objects.for_organization(organization).filter(is_enabled=True).first()
        )
        own = MailDomain.objects.for_organization(organization).exclude(confirmed_at=None)
        is_meant = row is not None and own.filter(domain=domain).exists()
    return code_of(organization=organization, public_id=row.public_id) if row and is_meant else ""


def _as_met(
    organization: Organization, row: IdentityProvider, domains: frozenset[str]
) -> SignInProvider:
    lowest = row.role_without_group
    return SignInProvider(
        organization=organization,
        code=code_of(organization=organization, public_id=row.public_id),
        protocol=SignInProtocol(row.protocol),
        issuer=row.issuer,
        client_id=row.client_id,
        secret=unseal(sealed=row.secret) if row.secret else "",
        scopes=("openid", "profile", "email", *row.scopes.split()),
        group_claim=row.group_claim,
        role_by_group={group: MemberRole(role) for group, role in row.role_by_group.items()},
        role_without_group=MemberRole(lowest) if lowest else None,
        policy=policy_for(allowed_networks=row.allowed_networks),
        domains=domains,
        vouches_for_addresses=row.vouches_for_addresses,
        sign_in_url=row.sign_in_url,
        certificates=row.certificates,
    )
