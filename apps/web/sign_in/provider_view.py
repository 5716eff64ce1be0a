"""Signing in through an organization's own provider: the link, the way there, the way back."""

from collections.abc import Mapping

from allauth.account.internal.flows.reauthentication import (
    did_recently_reauthenticate,
    suspend_request,
)
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods

from apps.tenancy.models import SignInProtocol, User
from apps.tenancy.sign_in.password import safe_next
from apps.tenancy.single_sign_on import refused_sign_ins, remembered_provider
from apps.tenancy.single_sign_on.oidc import openid_connect
from apps.tenancy.single_sign_on.provider_http import ProviderFailed
from apps.tenancy.single_sign_on.provider_lookup import (
    NoSuchProvider,
    SignInProvider,
    provider_of_link,
)
from apps.tenancy.single_sign_on.saml import toolkit
from apps.tenancy.single_sign_on.vouched_identity import NotLetIn
from apps.web.shell.render import theme_of
from apps.web.sign_in.provider_words import reason_in_words


@sensitive_variables()
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def sign_in_with(request: HttpRequest, code: str) -> HttpResponse:
    """Offer the provider; lead there when asked.

    The answer to the form is a page that leads on by itself: a form may lead to this portal only.
    """
    try:
        found = provider_of_link(code=code)
    except NoSuchProvider:
        return gone(request)
    if _connected(request) is not None and not did_recently_reauthenticate(request):
        # Else whoever finds a browser open could come back to the account by an own sign-in.
        asked: HttpResponse = suspend_request(request, reverse("account_reauthenticate"))
        return asked
    wanted = request.POST.get("next", request.GET.get("next", ""))
    values = {"organization": found.organization.name, "code": code, "next": wanted}
    if request.method != "POST":
        return _render(request, "web/sign_in/provider/offer.html", values)
    try:
        target = _begin(request, found, safe_next(request=request, wanted=wanted))
    except ProviderFailed as error:
        return refused(request, found, error.reason)
    return _render(
        request,
        "web/sign_in/provider/leading.html",
        values | {"target": target, "issuer": found.issuer},
    )


@sensitive_variables()
@require_GET
@never_cache
def provider_callback(request: HttpRequest, code: str) -> HttpResponse:
    """Let in whom the provider sends back, or say why not."""
    try:
        found = provider_of_link(code=code)
    except NoSuchProvider:
        return gone(request)
    if found.protocol != SignInProtocol.OPENID_CONNECT:
        return gone(request)
    try:
        answer = openid_connect.finish(request=request, found=found)
    except (ProviderFailed, NotLetIn) as error:
        return refused(request, found, error.reason)
    remembered_provider.remember(response=answer, code=code)
    return answer


def _begin(request: HttpRequest, found: SignInProvider, home: str) -> str:
    """Return where the browser is led; raise ProviderFailed."""
    refused_sign_ins.count(request=request, found=found)
    connects = _connected(request)
    if found.protocol != SignInProtocol.SAML:
        return openid_connect.begin(request=request, found=found, wanted=home, connects=connects)
    if not toolkit.is_installed():
        raise ProviderFailed("saml-missing")
    from apps.tenancy.single_sign_on.saml import saml_sign_in  # noqa: PLC0415  optional

    return saml_sign_in.begin(request=request, found=found, wanted=home, connects=connects)


def _connected(request: HttpRequest) -> int | None:
    """Return whose account is to be connected: of who is signed in and asks for just that."""
    asks = request.POST.get("connect") == "1" and isinstance(request.user, User)
    return request.user.pk if asks else None


def refused(request: HttpRequest, found: SignInProvider, reason: str) -> HttpResponse:
    """Write down that somebody was not let in, and say why."""
    refused_sign_ins.write_down(request=request, found=found, reason=reason, now=timezone.now())
    return show_refusal(request, found, reason)


def show_refusal(request: HttpRequest, found: SignInProvider, reason: str) -> HttpResponse:
    """Say why somebody was not let in."""
    values = {
        "organization": found.organization.name,
        "code": found.code,
        "problem": reason_in_words(reason),
    }
    return _render(request, "web/sign_in/provider/refused.html", values, status=403)


def gone(request: HttpRequest) -> HttpResponse:
    """Say that a link opens nothing."""
    return _render(request, "web/sign_in/provider/gone.html", {}, status=404)


def _render(
    request: HttpRequest, template: str, values: Mapping[str, object], status: int = 200
) -> HttpResponse:
    return render(request, template, {**values, "theme": theme_of(request)}, status=status)
