"""Signing in by SAML: the way to the provider, its answer, and the browser that began.

The answer comes from the provider's page, so this portal's cookie of the session is not with it.
It is checked as it comes and kept for a moment under a random name; the browser is then led to an
address here, where its session has to have begun just that sign-in.
"""

import secrets
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

from allauth.socialaccount.internal import statekit
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from onelogin.saml2.authn_request import OneLogin_Saml2_Authn_Request
from onelogin.saml2.settings import OneLogin_Saml2_Settings

from apps.tenancy.single_sign_on.provider_http import ProviderFailed
from apps.tenancy.single_sign_on.provider_lookup import SignInProvider
from apps.tenancy.single_sign_on.saml import toolkit
from apps.tenancy.single_sign_on.saml.assertions import check
from apps.tenancy.single_sign_on.saml.strict_xml import MOST_BYTES
from apps.tenancy.single_sign_on.welcome import welcome

HANDLE_SECONDS: Final = 120
HANDLE_LIMIT: Final = 64


def begin(*, request: HttpRequest, found: SignInProvider, wanted: str, connects: int | None) -> str:
    """Return the address at the provider where the person signs in.

    Which request the answer has to name is kept in this browser's session, for ten minutes.
    """
    asked = OneLogin_Saml2_Authn_Request(OneLogin_Saml2_Settings(toolkit.saml_values(found=found)))
    statekit.stash_state(
        request,
        provider_id=_name(found),
        state={"next": wanted, "connects": connects},
        state_id=asked.get_id(),
    )
    query = urlencode({"SAMLRequest": asked.get_request()})
    return f"{found.sign_in_url}{'&' if '?' in found.sign_in_url else '?'}{query}"


def receive(*, found: SignInProvider, encoded: str, now: datetime) -> str:
    """Check an answer, whoever brings it, and return the name it is kept under; else raise.

    Raises ProviderFailed. The session is not touched: it is not there.
    """
    if not encoded or len(encoded) > 2 * MOST_BYTES:
        raise ProviderFailed("bad-assertion")
    answer = check(found=found, encoded=encoded, now=now)
    handle = secrets.token_urlsafe(24)
    kept = {"issuer": found.issuer, "request_id": answer.request_id, "claims": answer.claims}
    cache.set(_key(found, handle), kept, timeout=HANDLE_SECONDS)
    return handle


def finish(*, request: HttpRequest, found: SignInProvider, handle: str) -> HttpResponse:
    """Let in whom a kept answer tells of, in the browser that asked; raise ProviderFailed."""
    kept = _taken(found, handle)
    state = statekit.unstash_state(request, state_id=kept["request_id"], provider_id=_name(found))
    # The provider may have been set up anew meanwhile.
    if state is None or kept["issuer"] != found.issuer:
        raise ProviderFailed("no-state")
    return welcome(
        request=request,
        found=found,
        claims=kept["claims"],
        wanted=str(state["next"] or "/"),
        connects=state["connects"],
    )


def _taken(found: SignInProvider, handle: str) -> dict[str, Any]:
    key = _key(found, handle[:HANDLE_LIMIT])
    kept = cache.get(key)
    # Of two who come at once with one name, one deletes it.
    if not isinstance(kept, dict) or not cache.delete(key):
        raise ProviderFailed("no-state")
    return kept


def _key(found: SignInProvider, handle: str) -> str:
    return f"saml:answer:{found.code}:{handle}"


def _name(found: SignInProvider) -> str:
    return f"saml:{found.code}"
