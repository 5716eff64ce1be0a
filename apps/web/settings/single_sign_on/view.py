"""Single sign-on: the organization's provider, its domains, and who may come back through it."""

from dataclasses import dataclass, replace

from django.conf import settings as portal
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from apps.tenancy.access import Right
from apps.tenancy.audit.audit_log import record_act
from apps.tenancy.middleware import OrganizationRequest, without_scope
from apps.tenancy.scope import organization_scope
from apps.tenancy.single_sign_on import (
    discovery,
    mail_domains,
    member_identities,
    provider_settings,
)
from apps.tenancy.single_sign_on.openid_connect import CALLBACK
from apps.tenancy.single_sign_on.provider_http import ProviderFailed
from apps.tenancy.single_sign_on.provider_lookup import code_of
from apps.tenancy.single_sign_on.provider_settings import BadProvider, WantedProvider
from apps.web.settings.single_sign_on.page import (
    ProviderForm,
    SingleSignOnPage,
    domain_rows,
    failure_in_words,
    form_again,
    form_of_row,
)
from apps.web.settings.tabs import show_tab


@dataclass(frozen=True, slots=True, kw_only=True)
class Refilled:
    """What was typed and can't be used."""

    form: ProviderForm | None = None
    domain: str = ""
    domain_problem: str = ""


@without_scope
@sensitive_post_parameters("secret")
@sensitive_variables()
@require_http_methods(["GET", "HEAD", "POST"])
def single_sign_on(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the tab, or keep the provider once it answered as the issuer that was typed."""
    if request.method != "POST":
        return _show(request)
    actor, organization = request.actor, request.actor.organization
    actor.require(Right.MANAGE)
    groups = request.POST.get("groups", "")
    wanted = _wanted(request, groups)
    try:
        with organization_scope(organization.pk):
            former = provider_settings.provider_of(actor=actor)
            values = provider_settings.checked(wanted=wanted, former=former)
        if wanted.is_enabled:
            discovery.check(issuer=wanted.issuer, networks=wanted.networks)
        with organization_scope(organization.pk):
            is_new = provider_settings.set_provider(
                organization=organization, values=values, now=timezone.now()
            )
    except BadProvider as error:
        problems = {error.field: str(error)}
    except ProviderFailed as error:
        problems = {"issuer": failure_in_words(error.reason)}
    else:
        _note(request, "identity_provider.made" if is_new else "identity_provider.changed")
        messages.info(request, _("Saved: the provider answers."))
        return redirect("web:single_sign_on", org)
    refilled = Refilled(form=form_again(wanted, groups=groups, problems=problems))
    with organization_scope(organization.pk):
        return _show(request, refilled=refilled, status=422)


@require_POST
def remove(request: OrganizationRequest, org: str) -> HttpResponse:
    """Forget the provider."""
    provider_settings.remove_provider(actor=request.actor)
    _note(request, "identity_provider.removed")
    messages.info(request, _("The provider is removed, and its secret with it."))
    return redirect("web:single_sign_on", org)


@require_http_methods(["GET", "HEAD", "POST"])
def ask_domain(request: OrganizationRequest, org: str) -> HttpResponse:
    """Ask for a domain; whoever runs the portal confirms it."""
    if request.method != "POST":
        return redirect("web:single_sign_on", org)
    typed = request.POST.get("domain", "")
    try:
        domain = mail_domains.ask(actor=request.actor, text=typed, now=timezone.now())
    except BadProvider as error:
        refilled = Refilled(domain=typed[:253], domain_problem=str(error))
        return _show(request, refilled=refilled, status=422)
    _note(request, "mail_domain.asked", domain)
    return redirect("web:single_sign_on", org)


@require_POST
def remove_domain(request: OrganizationRequest, org: str) -> HttpResponse:
    """Give a domain up."""
    domain = request.POST.get("domain", "")
    mail_domains.remove(actor=request.actor, domain=domain)
    _note(request, "mail_domain.removed", domain)
    return redirect("web:single_sign_on", org)


@require_POST
def let_in_again(request: OrganizationRequest, org: str) -> HttpResponse:
    """Let somebody who was removed sign in through the provider again."""
    username = request.POST.get("username", "")
    member_identities.let_in_again(actor=request.actor, username=username)
    _note(request, "identity.let_in_again", username)
    messages.info(request, _("%(name)s may sign in again.") % {"name": username})
    return redirect("web:single_sign_on", org)


def _show(
    request: OrganizationRequest, *, refilled: Refilled | None = None, status: int = 200
) -> HttpResponse:
    now, actor, again = timezone.now(), request.actor, refilled or Refilled()
    row = provider_settings.provider_of(actor=actor)
    page = SingleSignOnPage(
        form=again.form or form_of_row(row),
        is_set_up=row is not None,
        is_enabled=row is not None and row.is_enabled,
        link="",
        callback="",
        domains=domain_rows(mail_domains.domains_of(actor=actor)),
        domain=again.domain,
        domain_problem=again.domain_problem,
        command=f"manage.py mail_domain {actor.organization.slug}",
        removed=tuple(member_identities.barred(actor=actor)),
    )
    if row is not None:
        code = code_of(organization=actor.organization, public_id=row.public_id)
        page = replace(
            page, link=_address("web:sign_in_with", code), callback=_address(CALLBACK, code)
        )
    template = "web/settings/single_sign_on/page.html"
    return show_tab(request, template, tab="single-sign-on", now=now, status=status, page=page)


def _wanted(request: OrganizationRequest, groups: str) -> WantedProvider:
    names = ("issuer", "client_id", "scopes", "group_claim", "role_without_group")
    typed = {name: request.POST.get(name, "").strip() for name in names}
    networks = request.POST.get("networks", "").replace(",", "\n").split()
    parts = (line.rpartition("=") for line in groups.splitlines() if line.strip())
    return WantedProvider(
        **typed,
        secret=request.POST.get("secret", "").strip(),
        role_by_group={group.strip(): role.strip().lower() for group, _equals, role in parts},
        networks=networks,
        is_enabled=request.POST.get("is_enabled") == "1",
    )


def _address(name: str, code: str) -> str:
    return portal.PORTAL_BASE_URL + reverse(name, args=[code])


def _note(request: OrganizationRequest, action: str, subject: str = "") -> None:
    record_act(
        actor=request.actor, action=action, subject=subject, request=request, now=timezone.now()
    )
