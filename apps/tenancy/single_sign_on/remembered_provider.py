"""The provider that was used last in a browser, so that the door offers it there and nowhere else.

What stands in the cookie opens nothing: it is the link that the person came by.
"""

from typing import Final

from django.conf import settings
from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from apps.tenancy.single_sign_on.provider_lookup import (
    NoSuchProvider,
    SignInProvider,
    provider_of_link,
)

COOKIE: Final = "portal_provider"
SALT: Final = "apps.tenancy.single_sign_on.remembered_provider"
LASTS_SECONDS: Final = 180 * 24 * 3600


def remember(*, response: HttpResponseBase, code: str) -> None:
    """Let the door offer this provider next time."""
    response.set_cookie(
        COOKIE,
        signing.dumps(code, salt=SALT),
        max_age=LASTS_SECONDS,
        path=settings.LOGIN_URL,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def remembered(*, request: HttpRequest) -> SignInProvider | None:
    """Return the provider that this browser used last, if it is there still. Opens its scope."""
    given = request.COOKIES.get(COOKIE, "")
    if not given:
        return None
    try:
        return provider_of_link(code=str(signing.loads(given, salt=SALT, max_age=LASTS_SECONDS)))
    except (signing.BadSignature, NoSuchProvider):
        return None
