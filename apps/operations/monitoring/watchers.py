"""Who may look at what the portal says about itself: by a token of their own, or from near.

It counts everybody's work, so that a stranger who reads it over and over learns when who is busy.
"""

import ipaddress
from typing import Final

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

# Where one of these comes and no proxy is believed, the address is the proxy's, not the sender's.
FORWARDED: Final = ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP")


def is_watcher(*, request: HttpRequest) -> bool:
    """Whether a request may see the details."""
    return _has_token(request) or _is_near(request)


def _has_token(request: HttpRequest) -> bool:
    kind, _, presented = request.headers.get("Authorization", "").partition(" ")
    wanted = settings.PORTAL_METRICS_TOKEN
    is_same = constant_time_compare(presented.strip(), wanted)
    return bool(wanted) and kind.lower() == "bearer" and is_same


def _is_near(request: HttpRequest) -> bool:
    is_behind = any(name in request.META for name in FORWARDED)
    if is_behind and not settings.PORTAL_TRUST_PROXY:
        return False
    try:
        address = ipaddress.ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    return any(address in ipaddress.ip_network(each) for each in settings.PORTAL_METRICS_NETWORKS)
