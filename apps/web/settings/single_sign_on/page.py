"""What the tab of single sign-on shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from apps.tenancy.models import IdentityProvider, MailDomain, MemberRole
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
    is_enabled: bool = True
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainRow:
    """A domain of mail addresses."""

    domain: str
    is_confirmed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleSignOnPage:
    """The whole tab."""

    form: ProviderForm
    is_set_up: bool
    is_enabled: bool
    link: str  # where members sign in; empty before there is a provider
    callback: str  # what is entered at the provider
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
    if row is None:
        return ProviderForm(roles=_roles(""))
    return ProviderForm(
        issuer=row.issuer,
        client_id=row.client_id,
        scopes=row.scopes,
        group_claim=row.group_claim,
        groups="\n".join(f"{group} = {role}" for group, role in row.role_by_group.items()),
        roles=_roles(row.role_without_group),
        networks="\n".join(row.allowed_networks),
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
        roles=_roles(wanted.role_without_group),
        networks="\n".join(wanted.networks),
        is_enabled=wanted.is_enabled,
        problems=problems,
    )


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


def _roles(chosen: str) -> tuple[RoleOption, ...]:
    nobody = RoleOption(value="", name=_("No access"), is_chosen=not chosen)
    return nobody, *(
        RoleOption(value=role.value, name=role_name(role), is_chosen=role.value == chosen)
        for role in MemberRole
    )
