"""Where a request comes from, as one key for limits."""

import ipaddress
from collections.abc import Mapping
from typing import Any

IPV6_PREFIX = 64  # what one customer gets: whoever has one address of it has all


def address_of(scope: Mapping[str, Any], *, behind_proxy: bool) -> str:
    """Return the sender's address; behind a proxy the last that the proxy wrote."""
    peer = str((scope.get("client") or ("",))[0])
    if not behind_proxy:
        return peer
    values = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
    told = values[-1].decode("latin1").rpartition(",")[2].strip() if values else ""
    return told if _parsed(told) else peer


def network_of(address: str) -> str:
    """Return what limits go by: an IPv4 address, the /64 of an IPv6 address."""
    found = _parsed(address)
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, IPV6_PREFIX), strict=False))
    return str(found) if found else "unknown"


def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
