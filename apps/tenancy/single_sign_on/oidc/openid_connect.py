"""OpenID Connect as allauth speaks it, with what it leaves out: nonce, signature, one subject.

allauth keeps the state of a sign-in in the session, makes the address to go to, with PKCE, and
compares the state that comes back. What is asked of the provider goes out by `provider_http`.
"""

import secrets
from collections.abc import Mapping
from typing import Any, Final

from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin, SocialToken
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from apps.tenancy.single_sign_on.oidc.discovery import Discovery, discover
from apps.tenancy.single_sign_on.oidc.id_tokens import checked_claims
from apps.tenancy.single_sign_on.provider_http import ProviderFailed, ProviderHttp
from apps.tenancy.single_sign_on.provider_lookup import SignInProvider

CALLBACK: Final = "web:provider_callback"
CODE_LIMIT: Final = 4096
TAKEN_FROM_USERINFO: Final = (("email", "email_verified"), ("name",))


class OrganizationProvider(OpenIDConnectProvider):  # type: ignore[misc]  # allauth has no types
    """An organization's provider, as allauth has them."""

    def __init__(self, request: HttpRequest, *, adapter: "ProviderAdapter") -> None:
        super().__init__(request, app=adapter.social_app())
        self._adapter = adapter

    def get_oauth2_adapter(self, request: HttpRequest) -> "ProviderAdapter":
        """Return what speaks to it."""
        return self._adapter


class ProviderAdapter(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]  # allauth has no types
    """Speaks to one provider during one request."""

    def __init__(self, request: HttpRequest, *, found: SignInProvider) -> None:
        super().__init__(request, found.code)
        self.found = found
        self._http = ProviderHttp(policy=found.policy)
        self._discovery: Discovery | None = None

    def social_app(self) -> SocialApp:
        """Return the provider as allauth has them; no row of its tables."""
        return SocialApp(
            provider=OrganizationProvider.id,
            provider_id=self.found.code,
            name=self.found.organization.name,
            client_id=self.found.client_id,
            settings={"oauth_pkce_enabled": True, "scope": list(self.found.scopes)},
        )

    def get_provider(self) -> OrganizationProvider:
        """Return whom this speaks to."""
        return OrganizationProvider(self.request, adapter=self)

    @property
    def discovery(self) -> Discovery:
        """Return what the provider publishes, asked once; raise ProviderFailed."""
        if self._discovery is None:
            self._discovery = discover(http=self._http, issuer=self.found.issuer)
        return self._discovery

    @property
    def authorize_url(self) -> str:
        """Return where the person signs in."""
        return self.discovery.authorization_url

    @property
    def access_token_url(self) -> str:
        """Return where a code is exchanged."""
        return self.discovery.token_url

    @property
    def basic_auth(self) -> bool:
        """Say how the secret is shown."""
        return not self.discovery.takes_secret_in_form

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        """Return the address that the provider knows, whatever this request was sent to."""
        return callback_url(found=self.found)

    def get_access_token_data(
        self, request: HttpRequest, app: SocialApp, client: Any, pkce_code_verifier: Any = None
    ) -> dict[str, Any]:
        """Exchange the code, once; raise ProviderFailed."""
        code, verifier = request.GET.get("code", ""), pkce_code_verifier
        named = request.GET.get("iss")
        # RFC 9207: an answer that another provider sent is not exchanged at this one.
        if named is None and not self.discovery.names_itself:
            named = self.found.issuer
        if named != self.found.issuer or not 0 < len(code) <= CODE_LIMIT or not verifier:
            raise ProviderFailed("bad-answer")
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "code_verifier": str(verifier),
            "redirect_uri": self.get_callback_url(request, app),
            "client_id": self.found.client_id,
        }
        secret = self.found.secret
        if secret and not self.basic_auth:
            form["client_secret"] = secret
        basic = (self.found.client_id, secret) if secret and self.basic_auth else None
        return self._http.post(self.access_token_url, form=form, basic=basic)

    def parse_token(self, data: Mapping[str, Any]) -> SocialToken:
        """Return the access token, which is kept nowhere; raise ProviderFailed."""
        given = data.get("access_token")
        if not isinstance(given, str) or not given.isprintable():
            raise ProviderFailed("bad-answer")
        return SocialToken(token=given)

    def complete_login(
        self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any
    ) -> SocialLogin:
        """Hand on what was answered; it is checked where the state is at hand."""
        login = SocialLogin(
            provider=self.get_provider(), account=SocialAccount(provider=self.found.code)
        )
        login.adapter, login.answer = self, kwargs["response"]
        return login

    def claims(self, *, answer: Mapping[str, Any], nonce: str) -> dict[str, Any]:
        """Return what the provider vouches for; raise ProviderFailed."""
        found = self.found
        claims = checked_claims(
            token=answer.get("id_token"),
            keys=self._http.get(self.discovery.keys_url),
            issuer=found.issuer,
            client_id=found.client_id,
            nonce=nonce,
        )
        is_whole = {"email", "email_verified"} <= claims.keys() and (
            found.group_claim in claims or not found.role_by_group
        )
        if is_whole or not self.discovery.userinfo_url:
            return claims
        more = self._http.get(self.discovery.userinfo_url, bearer=str(answer["access_token"]))
        if more.get("sub") != claims["sub"]:
            raise ProviderFailed("bad-token")
        # Of the same address it may say what the token leaves out: that it is verified, or is not.
        if more.get("email") == claims.get("email") and "email_verified" in more:
            claims.setdefault("email_verified", more["email_verified"])
        for names in (*TAKEN_FROM_USERINFO, (found.group_claim,)):
            if names[0] not in claims:
                claims |= {name: more[name] for name in names if name in more}
        return claims


def callback_url(*, found: SignInProvider) -> str:
    """Return the address that is entered at the provider."""
    return settings.PORTAL_BASE_URL + reverse(CALLBACK, args=[found.code])


def begin(*, request: HttpRequest, found: SignInProvider, wanted: str, connects: int | None) -> str:
    """Return the address at the provider where the person signs in; raise ProviderFailed.

    What the answer has to match is kept in this browser's session: state, nonce, verifier.
    """
    adapter = ProviderAdapter(request, found=found)
    nonce = secrets.token_urlsafe(24)
    answer = adapter.get_provider().redirect(
        request,
        process="login",
        next_url=wanted,
        data={"nonce": nonce, "connects": connects},
        auth_params={"nonce": nonce},
    )
    # An address that has a query of its own keeps it (RFC 6749, 3.1).
    base = adapter.authorize_url
    query = str(answer.url).removeprefix(f"{base}?")
    return f"{base}{'&' if '?' in base else '?'}{query}"


def finish(*, request: HttpRequest, found: SignInProvider) -> HttpResponse:
    """Answer somebody who comes back; raise ProviderFailed, NotLetIn.

    Who is let in, `social_adapter` says: allauth calls it once the state was right.
    """
    view = OAuth2CallbackView.adapter_view(ProviderAdapter(request, found=found))
    answer: HttpResponse = view(request)
    return answer
