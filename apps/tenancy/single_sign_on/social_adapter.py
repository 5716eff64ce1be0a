"""What allauth asks the house where somebody comes back from a provider."""

from typing import Any, NoReturn

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.base import AuthError
from django.http import HttpRequest, HttpResponse

from apps.tenancy.single_sign_on.oidc.openid_connect import ProviderAdapter
from apps.tenancy.single_sign_on.provider_http import ProviderFailed
from apps.tenancy.single_sign_on.welcome import welcome


class ProviderAccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # no types
    """Providers are rows of organizations, and people are let in by the house's own rules."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Refuse: accounts are made by `identities` alone."""
        return False

    def list_apps(self, request: HttpRequest, **_named: Any) -> list[SocialApp]:
        """Return nothing: a provider is found by its organization's link alone."""
        return []

    def get_requests_session(self) -> NoReturn:
        """Refuse: what is asked of a provider goes out by `provider_http`."""
        raise ProviderFailed("address-refused")

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> NoReturn:
        """Check what the provider vouches for, and let the person in; allauth does nothing more."""
        raise ImmediateHttpResponse(_answer(request, sociallogin))

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: str | None = None,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> NoReturn:
        """Leave it to the page that asked."""
        if isinstance(exception, ProviderFailed):
            raise exception
        if error == AuthError.CANCELLED:
            raise ProviderFailed("cancelled")
        has_state = bool((extra_context or {}).get("state"))
        raise ProviderFailed("provider-error" if has_state else "no-state")


def _answer(request: HttpRequest, login: SocialLogin) -> HttpResponse:
    adapter: ProviderAdapter = login.adapter
    kept = login.state.get("data") or {}
    return welcome(
        request=request,
        found=adapter.found,
        claims=adapter.claims(answer=login.answer, nonce=str(kept.get("nonce") or "")),
        wanted=str(login.state.get("next") or "/"),
        connects=kept.get("connects"),
    )
