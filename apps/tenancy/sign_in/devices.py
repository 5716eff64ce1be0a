"""Browsers that somebody signed in with before, known by a cookie that opens nothing.

While a name is being guessed from everywhere its owner still gets in from such a browser.
"""

from typing import Final

from django.conf import settings
from django.core import signing
from django.core.cache import cache
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.crypto import get_random_string, salted_hmac

from apps.tenancy.audit import repeated_acts

COOKIE: Final = "portal_device"
SALT: Final = "apps.tenancy.sign_in.devices"
LASTS_SECONDS: Final = 180 * 24 * 3600
FAILURES: Final = 10  # in an hour, then it is a browser like others
SPAN_SECONDS: Final = 3600


def remember(*, response: HttpResponseBase, username: str) -> None:
    """Let the browser show next time that this person signed in with it."""
    told = {"name": digest_of_name(username), "id": get_random_string(16)}
    response.set_cookie(
        COOKIE,
        signing.dumps(told, salt=SALT),
        max_age=LASTS_SECONDS,
        path=settings.LOGIN_URL,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def is_known(*, request: HttpRequest, username: str) -> bool:
    """Whether this browser was signed in under this name, and not used to guess since."""
    device = _device(request, username)
    return device is not None and cache.get(_spent(device)) is None


def count_failure(*, request: HttpRequest, username: str) -> None:
    """Count a failure of a known browser."""
    device = _device(request, username)
    if device is None:
        return
    if repeated_acts.counted(what=f"device {device}", seconds=SPAN_SECONDS) >= FAILURES:
        cache.set(_spent(device), 1, timeout=SPAN_SECONDS)


def digest_of_name(username: str) -> str:
    """Return what stands for a name where it must not be read."""
    return salted_hmac(SALT, username, algorithm="sha256").hexdigest()[:32]


def _device(request: HttpRequest, username: str) -> str | None:
    try:
        told = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=LASTS_SECONDS)
    except signing.BadSignature:
        return None
    return str(told["id"]) if told["name"] == digest_of_name(username) else None


def _spent(device: str) -> str:
    return f"sign_in:spent:{device}"
