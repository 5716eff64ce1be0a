"""What the tab of single sign-on shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from apps.tenancy.models import IdentityProvider, MailDomain, MemberRole, SignInProtocol
from apps.tenancy.single_sign_on.provider_settings import USUAL_CLAIM, WantedProvider
from apps.web.settings.members.page import role_name


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleOption:
    """What somebody may do who is in none of the groups."""

    value: str
    name: str
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderForm:
    """The form, as it is filled in. The secret is never shown again."""

    issuer: str = ""
    client_id: str = ""
    scopes: str = ""
    group_claim: str = USUAL_CLAIM
    groups: str = ""
    roles: tuple[RoleOption, ...] = ()
    networks: str = ""
    vouches_for_addresses: bool = False
    is_enabled: bool = True
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SamlForm:
    """The form for SAML, as it is filled in. What metadata told stands beside it."""

    issuer: str = ""
    sign_in_url: str = ""
    metadata: str = ""
    metadata_url: str = ""
    group_claim: str = USUAL_CLAIM
    groups: str = ""
    roles: tuple[RoleOption, ...] = ()
    networks: str = ""
    vouches_for_addresses: bool = False
    is_enabled: bool = True
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderAddresses:
    """What members and the provider have to know of this portal; empty before there is one."""

    link: str = ""  # where members sign in
    callback: str = ""  # what is entered at the provider
    entity_id: str = ""  # of SAML: the same, and where its metadata is


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainRow:
    """A domain of mail addresses."""

    domain: str
    is_confirmed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleSignOnPage:
    """The whole tab."""

    form: ProviderForm
    saml: SamlForm
    has_saml: bool  # it is what members sign in by
    can_saml: bool  # its libraries are installed
    is_set_up: bool
    is_enabled: bool
    addresses: ProviderAddresses
    domains: tuple[DomainRow, ...]
    domain: str = ""  # as it was typed
    domain_problem: str = ""
    command: str = ""  # with which whoever runs the portal confirms a domain
    removed: tuple[str, ...] = ()  # people who were removed and may not come back by themselves

    @property
    def has_confirmed_domain(self) -> bool:
        """Whether anybody's address counts."""
        return any(each.is_confirmed for each in self.domains)


def form_of_row(row: IdentityProvider | None) -> ProviderForm:
    """Return the form of what is kept."""
    if row is None or row.protocol != SignInProtocol.OPENID_CONNECT:
        return ProviderForm(roles=role_options(""))
    return ProviderForm(
        issuer=row.issuer,
        client_id=row.client_id,
        scopes=row.scopes,
        group_claim=row.group_claim,
        groups=groups_of(row),
        roles=role_options(row.role_without_group),
        networks="\n".join(row.allowed_networks),
        vouches_for_addresses=row.vouches_for_addresses,
        is_enabled=row.is_enabled,
    )


def form_again(wanted: WantedProvider, *, groups: str, problems: Mapping[str, str]) -> ProviderForm:
    """Return the form as it was typed, without the secret."""
    return ProviderForm(
        issuer=wanted.issuer,
        client_id=wanted.client_id,
        scopes=wanted.scopes,
        group_claim=wanted.group_claim,
        groups=groups,
        roles=role_options(wanted.role_without_group),
        networks="\n".join(wanted.networks),
        vouches_for_addresses=wanted.vouches_for_addresses,
        is_enabled=wanted.is_enabled,
        problems=problems,
    )


def groups_of(row: IdentityProvider) -> str:
    """Return groups and roles as they are typed."""
    return "\n".join(f"{group} = {role}" for group, role in row.role_by_group.items())


def domain_rows(domains: Sequence[MailDomain]) -> tuple[DomainRow, ...]:
    """Return the domains as they are listed."""
    return tuple(
        DomainRow(domain=each.domain, is_confirmed=each.confirmed_at is not None)
        for each in domains
    )


def failure_in_words(reason: str) -> str:
    """Return why a provider that was just entered can't be used, for who entered it."""
    known = {
        "address-refused": _("The portal may not reach this address."),
        "no-answer": _("Nothing answers there as a provider would."),
        "other-issuer": _("What is there calls itself another issuer. Copy it as it is published."),
    }
    return known.get(reason, _("What answers there is no OpenID Connect provider."))


def role_options(chosen: str) -> tuple[RoleOption, ...]:
    """Return what somebody may do who is in none of the groups, to choose from."""
    nobody = RoleOption(value="", name=_("No access"), is_chosen=not chosen)
    return nobody, *(
        RoleOption(value=role.value, name=role_name(role), is_chosen=role.value == chosen)
        for role in MemberRole
    )
