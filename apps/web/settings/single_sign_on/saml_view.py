"""A SAML provider, as an admin sets it up."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from apps.tenancy.access import Right
from apps.tenancy.middleware import OrganizationRequest, without_scope
from apps.tenancy.scope import organization_scope
from apps.tenancy.single_sign_on import mail_domains, provider_settings
from apps.tenancy.single_sign_on.provider_settings import BadProvider
from apps.tenancy.single_sign_on.saml import saml_settings
from apps.tenancy.single_sign_on.saml.saml_settings import WantedSaml
from apps.web.settings.single_sign_on.saml_form import saml_form_again
from apps.web.settings.single_sign_on.tab import Refilled, note, show
from apps.web.settings.single_sign_on.typed_rules import TypedRules, typed_rules


@without_scope
@require_http_methods(["GET", "HEAD", "POST"])
def saml(request: OrganizationRequest, org: str) -> HttpResponse:
    """Keep what a provider's metadata tells, pasted or fetched."""
    if request.method != "POST":
        return redirect("web:single_sign_on", org)
    request.actor.require(Right.MANAGE)
    rules = typed_rules(request.POST)
    wanted = _wanted(request, rules)
    try:
        is_new, is_ready = _keep(request, wanted)
    except BadProvider as error:
        form = saml_form_again(wanted, groups=rules.groups, problems={error.field: str(error)})
        with organization_scope(request.actor.organization.pk):
            return show(request, refilled=Refilled(saml=form), status=422)
    note(request, "identity_provider.made" if is_new else "identity_provider.changed")
    if is_ready:
        messages.info(request, _("Saved. Follow the link for members in another browser to try."))
    else:
        messages.info(request, _("Saved, switched off: enter the addresses at the provider first."))
    return redirect("web:single_sign_on", org)


def _keep(request: OrganizationRequest, wanted: WantedSaml) -> tuple[bool, bool]:
    """Keep it, and say whether it is new and whether it is known by metadata by now."""
    actor, organization = request.actor, request.actor.organization
    data = saml_settings.published(wanted=wanted)  # takes long: in no scope
    with organization_scope(organization.pk):
        former = provider_settings.provider_of(actor=actor)
        values = saml_settings.checked_saml(wanted=wanted, data=data, former=former)
        mail_domains.check_vouching(
            organization=organization, is_wanted=wanted.vouches_for_addresses
        )
        is_new = provider_settings.set_provider(
            organization=organization, values=values, now=timezone.now()
        )
    return is_new, bool(values["issuer"])


def _wanted(request: OrganizationRequest, rules: TypedRules) -> WantedSaml:
    return WantedSaml(
        metadata=request.POST.get("metadata", "").strip(),
        metadata_url=request.POST.get("metadata_url", "").strip(),
        **rules.values,
    )
