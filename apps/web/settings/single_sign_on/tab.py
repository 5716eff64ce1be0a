"""The tab of single sign-on: shown, also with what was typed and can't be used."""

from dataclasses import dataclass

from django.conf import settings as portal
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from apps.tenancy.audit.audit_log import record_act
from apps.tenancy.middleware import OrganizationRequest
from apps.tenancy.models import IdentityProvider, SignInProtocol
from apps.tenancy.single_sign_on import mail_domains, member_identities, provider_settings
from apps.tenancy.single_sign_on.oidc.openid_connect import CALLBACK
from apps.tenancy.single_sign_on.provider_lookup import code_of
from apps.tenancy.single_sign_on.saml import toolkit
from apps.web.settings.single_sign_on.page import (
    ProviderAddresses,
    ProviderForm,
    SamlForm,
    SingleSignOnPage,
    domain_rows,
    form_of_row,
)
from apps.web.settings.single_sign_on.saml_form import saml_form_of_row
from apps.web.settings.tabs import show_tab


@dataclass(frozen=True, slots=True, kw_only=True)
class Refilled:
    """What was typed and can't be used."""

    form: ProviderForm | None = None
    saml: SamlForm | None = None
    domain: str = ""
    domain_problem: str = ""


def show(
    request: OrganizationRequest, *, refilled: Refilled | None = None, status: int = 200
) -> HttpResponse:
    """Show the tab. Needs the organization's scope."""
    now, actor, again = timezone.now(), request.actor, refilled or Refilled()  # noqa: TID251  a door
    row = provider_settings.provider_of(actor=actor)
    page = SingleSignOnPage(
        form=again.form or form_of_row(row),
        saml=again.saml or saml_form_of_row(row),
        has_saml=row is not None and row.protocol == SignInProtocol.SAML,
        can_saml=toolkit.is_installed(),
        is_set_up=row is not None,
        is_enabled=row is not None and row.is_enabled,
        addresses=_addresses(request, row) if row is not None else ProviderAddresses(),
        domains=domain_rows(mail_domains.domains_of(actor=actor)),
        domain=again.domain,
        domain_problem=again.domain_problem,
        command=f"manage.py mail_domain {actor.organization.slug}",
        removed=tuple(member_identities.barred(actor=actor)),
    )
    template = "web/settings/single_sign_on/page.html"
    return show_tab(request, template, tab="single-sign-on", now=now, status=status, page=page)


def _addresses(request: OrganizationRequest, row: IdentityProvider) -> ProviderAddresses:
    code = code_of(organization=request.actor.organization, public_id=row.public_id)
    link = _address("web:sign_in_with", code)
    if row.protocol != SignInProtocol.SAML:
        return ProviderAddresses(link=link, callback=_address(CALLBACK, code))
    return ProviderAddresses(
        link=link,
        callback=toolkit.receiver_url(code=code),
        entity_id=toolkit.entity_id(code=code),
    )


def _address(name: str, code: str) -> str:
    return portal.PORTAL_BASE_URL + reverse(name, args=[code])


def note(request: OrganizationRequest, action: str, subject: str = "") -> None:
    """Write an act of an admin down."""
    now = timezone.now()  # noqa: TID251  a door
    record_act(actor=request.actor, action=action, subject=subject, request=request, now=now)
