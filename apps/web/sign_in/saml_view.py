"""The way back from a provider that speaks SAML, and what it has to know of this portal."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_GET, require_POST

from apps.tenancy.models import SignInProtocol
from apps.tenancy.single_sign_on import refused_sign_ins, remembered_provider
from apps.tenancy.single_sign_on.provider_http import ProviderFailed
from apps.tenancy.single_sign_on.provider_lookup import (
    NoSuchProvider,
    SignInProvider,
    provider_of_link,
)
from apps.tenancy.single_sign_on.saml import toolkit
from apps.tenancy.single_sign_on.vouched_identity import NotLetIn
from apps.web.sign_in import provider_view

SEE_OTHER = 303


# The provider's page sends it: no token of ours is in it. What it says is signed, and lets nobody
# in but in the session that asked for it.
@csrf_exempt
@sensitive_post_parameters("SAMLResponse")
@sensitive_variables()
@require_POST
@never_cache
def answer(request: HttpRequest, code: str) -> HttpResponse:
    """Check a provider's answer, and lead the browser to where its session is known again.

    Nothing is set in the browser here: another site sent it.
    """
    try:
        found = _provider(code)
    except NoSuchProvider:
        return HttpResponse(status=404)
    try:
        refused_sign_ins.count(request=request, found=found, what="answers")
        from apps.tenancy.single_sign_on.saml import saml_sign_in  # noqa: PLC0415  optional

        handle = saml_sign_in.receive(
            found=found, encoded=request.POST.get("SAMLResponse", ""), now=timezone.now()
        )
        query = {"answer": handle}
    except ProviderFailed as error:
        refused_sign_ins.write_down(
            request=request, found=found, reason=error.reason, now=timezone.now()
        )
        query = {"refused": error.reason}
    onward = f"{reverse('web:saml_finish', args=[code])}?{urlencode(query)}"
    return HttpResponseRedirect(onward, status=SEE_OTHER)


@sensitive_variables()
@require_GET
@never_cache
def finish(request: HttpRequest, code: str) -> HttpResponse:
    """Let in whom a checked answer tells of, in the browser that asked, or say why not."""
    try:
        found = _provider(code)
    except NoSuchProvider:
        return provider_view.gone(request)
    if request.GET.get("refused"):
        return provider_view.show_refusal(request, found, request.GET["refused"])
    from apps.tenancy.single_sign_on.saml import saml_sign_in  # noqa: PLC0415  optional

    try:
        done = saml_sign_in.finish(
            request=request, found=found, handle=request.GET.get("answer", "")
        )
    except (ProviderFailed, NotLetIn) as error:
        return provider_view.refused(request, found, error.reason)
    remembered_provider.remember(response=done, code=code)
    return done


@require_GET
@never_cache
def metadata(request: HttpRequest, code: str) -> HttpResponse:
    """Return what the organization's provider has to know of this portal."""
    try:
        _provider(code, also_disabled=True)  # it is entered there before anybody signs in
    except NoSuchProvider:
        return provider_view.gone(request)
    from apps.tenancy.single_sign_on.saml.metadata import own_metadata  # noqa: PLC0415  optional

    return HttpResponse(
        own_metadata(code=code), content_type="application/samlmetadata+xml; charset=utf-8"
    )


def _provider(code: str, *, also_disabled: bool = False) -> SignInProvider:
    """Return the provider that speaks SAML; raise NoSuchProvider."""
    found = provider_of_link(code=code, also_disabled=also_disabled)
    if found.protocol != SignInProtocol.SAML or not toolkit.is_installed():
        raise NoSuchProvider
    return found
