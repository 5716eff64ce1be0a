"""Signing in through an organization's own provider: the link, the way there, the way back."""

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods

from apps.tenancy.models import User
from apps.tenancy.sign_in.password import safe_next
from apps.tenancy.single_sign_on import openid_connect, refused_sign_ins, remembered_provider
from apps.tenancy.single_sign_on.identities import NotLetIn
from apps.tenancy.single_sign_on.provider_http import ProviderFailed
from apps.tenancy.single_sign_on.provider_lookup import (
    NoSuchProvider,
    SignInProvider,
    provider_of_link,
)
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
        return _gone(request)
    wanted = request.POST.get("next", request.GET.get("next", ""))
    values = {"organization": found.organization.name, "code": code, "next": wanted}
    if request.method != "POST":
        return _render(request, "web/sign_in/provider/offer.html", values)
    home = safe_next(request=request, wanted=wanted)
    try:
        refused_sign_ins.count_beginning(request=request, found=found)
        target = openid_connect.begin(
            request=request, found=found, wanted=home, connects=_connected(request)
        )
    except ProviderFailed as error:
        return _refused(request, found, error.reason)
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
        return _gone(request)
    try:
        answer = openid_connect.finish(request=request, found=found)
    except (ProviderFailed, NotLetIn) as error:
        return _refused(request, found, error.reason)
    remembered_provider.remember(response=answer, code=code)
    return answer


def _connected(request: HttpRequest) -> int | None:
    """Return whose account is to be connected: of who is signed in and asks for just that."""
    asks = request.POST.get("connect") == "1" and isinstance(request.user, User)
    return request.user.pk if asks else None


def _refused(request: HttpRequest, found: SignInProvider, reason: str) -> HttpResponse:
    refused_sign_ins.write_down(request=request, found=found, reason=reason, now=timezone.now())
    values = {
        "organization": found.organization.name,
        "code": found.code,
        "problem": reason_in_words(reason),
    }
    return _render(request, "web/sign_in/provider/refused.html", values, status=403)


def _gone(request: HttpRequest) -> HttpResponse:
    return _render(request, "web/sign_in/provider/gone.html", {}, status=404)


def _render(
    request: HttpRequest, template: str, values: Mapping[str, object], status: int = 200
) -> HttpResponse:
    return render(request, template, {**values, "theme": theme_of(request)}, status=status)
