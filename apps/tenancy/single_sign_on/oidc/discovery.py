"""What a provider publishes of itself: its addresses, taken only from who is the issuer."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from apps.tenancy.outbound.policy import OutboundRefused, policy_for
from apps.tenancy.single_sign_on.provider_http import ProviderFailed, ProviderHttp

WELL_KNOWN: Final = "/.well-known/openid-configuration"
URL_LIMIT: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """A provider's addresses, and how it wants the client's secret."""

    authorization_url: str
    token_url: str
    keys_url: str
    userinfo_url: str  # empty: it has none
    takes_secret_in_form: bool
    names_itself: bool  # in its answer to the browser, by `iss`


def discover(*, http: ProviderHttp, issuer: str) -> Discovery:
    """Return what the provider of an issuer publishes; raise ProviderFailed."""
    found = http.get(issuer.rstrip("/") + WELL_KNOWN)
    if found.get("issuer") != issuer:
        raise ProviderFailed("other-issuer")
    methods = found.get("token_endpoint_auth_methods_supported")
    return Discovery(
        authorization_url=_url(http, issuer, found.get("authorization_endpoint")),
        token_url=_url(http, issuer, found.get("token_endpoint")),
        keys_url=_url(http, issuer, found.get("jwks_uri")),
        userinfo_url=_url(http, issuer, found["userinfo_endpoint"])
        if found.get("userinfo_endpoint")
        else "",
        # Who lists nothing takes it in the header (OpenID Connect Discovery, 3).
        takes_secret_in_form=isinstance(methods, list) and "client_secret_post" in methods,
        names_itself=found.get("authorization_response_iss_parameter_supported") is True,
    )


def _url(http: ProviderHttp, issuer: str, given: Any) -> str:
    """Return an address that is no weaker than the issuer's; raise ProviderFailed."""
    if not isinstance(given, str) or len(given) > URL_LIMIT:
        raise ProviderFailed("bad-answer")
    try:
        parts = http.policy.check_url(given)
    except OutboundRefused:
        raise ProviderFailed("bad-answer") from None
    if issuer.startswith("https:") and parts.scheme != "https":
        raise ProviderFailed("bad-answer")
    return given


def check(*, issuer: str, networks: Iterable[str]) -> None:
    """Ask the provider of an issuer what it publishes; raise ProviderFailed. Hold no scope."""
    discover(http=ProviderHttp(policy=policy_for(allowed_networks=networks)), issuer=issuer)
