"""Which addresses take large bodies or hash a password, read from the routes themselves."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from django.urls import URLPattern

from apps.api.urls import urlpatterns as api_routes

UPLOAD: Final = re.compile(r"^/o/(?P<org>[^/]+)/upload/$")
# Each of them hashes a password.
HASHING: Final = re.compile(
    r"^/(?:sign-in/|join/[^/]+/|account/confirm/|o/[^/]+/settings/account/password/)$"
)
WATCHING: Final = frozenset({"/healthz"})  # has to answer whatever else happens


@cache
def pushes() -> frozenset[str]:
    """Return the addresses of the receivers."""
    found = [route for route in api_routes if isinstance(route, URLPattern)]
    return frozenset(f"/{route.pattern}" for route in found if "push_" in str(route.name))


def is_push(scope: Mapping[str, Any]) -> bool:
    """Whether a request brings what a program with a token sends."""
    return _is_post(scope) and scope["path"] in pushes()


def takes_large_bodies(scope: Mapping[str, Any]) -> bool:
    """Whether a request brings what somebody with a credential may send by the mebibyte."""
    return is_push(scope) or (_is_post(scope) and bool(UPLOAD.match(scope["path"])))


def hashes(scope: Mapping[str, Any]) -> bool:
    """Whether a request makes the portal hash a password."""
    return _is_post(scope) and bool(HASHING.match(scope["path"]))


def _is_post(scope: Mapping[str, Any]) -> bool:
    """Say what the application will take for POST: it asks for no capital letters."""
    return str(scope["method"]).upper() == "POST"
