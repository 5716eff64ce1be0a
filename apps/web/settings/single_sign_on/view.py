"""Single sign-on: the organization's provider, its domains, and who may come back through it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from apps.tenancy.access import Right
from apps.tenancy.middleware import OrganizationRequest, without_scope
from apps.tenancy.scope import organization_scope
from apps.tenancy.single_sign_on import mail_domains, member_identities, provider_settings
from apps.tenancy.single_sign_on.oidc import discovery
from apps.tenancy.single_sign_on.provider_http import ProviderFailed
from apps.tenancy.single_sign_on.provider_settings import BadProvider, WantedProvider
from apps.web.settings.single_sign_on.page import failure_in_words, form_again
from apps.web.settings.single_sign_on.tab import Refilled, note, show
from apps.web.settings.single_sign_on.typed_rules import TypedRules, typed_rules


@without_scope
@sensitive_post_parameters("secret")
@sensitive_variables()
@require_http_methods(["GET", "HEAD", "POST"])
def single_sign_on(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the tab, or keep the provider once it answered as the issuer that was typed."""
    if request.method != "POST":
        return show(request)
    actor, organization = request.actor, request.actor.organization
    actor.require(Right.MANAGE)
    rules = typed_rules(request.POST)
    wanted = _wanted(request, rules)
    try:
        with organization_scope(organization.pk):
            former = provider_settings.provider_of(actor=actor)
            values = provider_settings.checked(wanted=wanted, former=former)
            mail_domains.check_vouching(
                organization=organization, is_wanted=wanted.vouches_for_addresses
            )
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
        note(request, "identity_provider.made" if is_new else "identity_provider.changed")
        messages.info(request, _("Saved: the provider answers."))
        return redirect("web:single_sign_on", org)
    refilled = Refilled(form=form_again(wanted, groups=rules.groups, problems=problems))
    with organization_scope(organization.pk):
        return show(request, refilled=refilled, status=422)


@require_POST
def remove(request: OrganizationRequest, org: str) -> HttpResponse:
    """Forget the provider."""
    provider_settings.remove_provider(actor=request.actor)
    note(request, "identity_provider.removed")
    request.user.refresh_from_db(fields=["session_epoch"])
    update_session_auth_hash(request, request.user)  # who removes it stays signed in
    messages.info(request, _("The provider is removed. Whom it signed in is signed out."))
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
        return show(request, refilled=refilled, status=422)
    note(request, "mail_domain.asked", domain)
    return redirect("web:single_sign_on", org)


@require_POST
def remove_domain(request: OrganizationRequest, org: str) -> HttpResponse:
    """Give a domain up."""
    domain = request.POST.get("domain", "")
    mail_domains.remove(actor=request.actor, domain=domain)
    note(request, "mail_domain.removed", domain)
    return redirect("web:single_sign_on", org)


@require_POST
def let_in_again(request: OrganizationRequest, org: str) -> HttpResponse:
    """Let somebody who was removed sign in through the provider again."""
    username = request.POST.get("username", "")
    member_identities.let_in_again(actor=request.actor, username=username)
    note(request, "identity.let_in_again", username)
    messages.info(request, _("%(name)s may sign in again.") % {"name": username})
    return redirect("web:single_sign_on", org)


def _wanted(request: OrganizationRequest, rules: TypedRules) -> WantedProvider:
    names = ("issuer", "client_id", "scopes", "secret")
    typed: dict[str, Any] = {name: request.POST.get(name, "").strip() for name in names}
    return WantedProvider(**typed, **rules.values)
