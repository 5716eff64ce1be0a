"""ID tokens: signed by the provider's own key, for this portal, for this one sign-in."""

import hmac
from collections.abc import Mapping
from typing import Any, Final

import jwt

from apps.tenancy.single_sign_on.provider_http import ProviderFailed

# Signatures by a key that only the provider has. `none` and keyed digests are none of these.
ALGORITHMS: Final = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
)
KINDS_OF_KEY: Final = {"RS": ("RSA",), "PS": ("RSA",), "ES": ("EC",), "Ed": ("OKP",)}
NEEDED: Final = ("iss", "sub", "aud", "exp", "iat")
LEEWAY_SECONDS: Final = 60  # between two clocks
SUBJECT_LIMIT: Final = 255
TOKEN_LIMIT: Final = 64 * 1024


def checked_claims(
    *, token: Any, keys: Mapping[str, Any], issuer: str, client_id: str, nonce: str
) -> dict[str, Any]:
    """Return what an ID token claims; raise ProviderFailed for one that proves nothing here."""
    if not isinstance(token, str) or not token or len(token) > TOKEN_LIMIT or not nonce:
        raise ProviderFailed("bad-token")
    try:
        header = jwt.get_unverified_header(token)
        algorithm = header.get("alg")
        if algorithm not in ALGORITHMS:
            raise ProviderFailed("bad-token")
        claims = jwt.decode(
            token,
            key=_key(keys, header.get("kid"), algorithm),
            algorithms=[algorithm],
            audience=client_id,
            issuer=issuer,
            leeway=LEEWAY_SECONDS,
            options={"require": list(NEEDED)},
        )
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
        raise ProviderFailed("bad-token") from None
    _check_party(claims, client_id)
    _check_nonce(claims, nonce)
    subject = claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= SUBJECT_LIMIT or "\x00" in subject:
        raise ProviderFailed("bad-token")
    return claims


def _key(keys: Mapping[str, Any], name: Any, algorithm: str) -> Any:
    """Return the one key that a token names; without a name there must be one alone."""
    listed = keys.get("keys")
    fitting = [
        each
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, dict)
        and each.get("use") in {None, "sig"}
        and each.get("alg") in {None, algorithm}
        and (name is None or each.get("kid") == name)
        and each.get("kty") in KINDS_OF_KEY[algorithm[:2]]
    ]
    if len(fitting) != 1:
        raise ProviderFailed("bad-token")
    return jwt.PyJWK(fitting[0], algorithm).key


def _check_party(claims: Mapping[str, Any], client_id: str) -> None:
    audience, party = claims["aud"], claims.get("azp")
    is_for_others = isinstance(audience, list) and len(audience) > 1
    if (party is not None or is_for_others) and party != client_id:
        raise ProviderFailed("bad-token")


def _check_nonce(claims: Mapping[str, Any], nonce: str) -> None:
    given = claims.get("nonce")
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), nonce.encode()):
        raise ProviderFailed("bad-token")
