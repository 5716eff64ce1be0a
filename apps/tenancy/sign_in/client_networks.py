"""Where somebody comes from, as limits count it: an IPv4 address, the /64 of an IPv6 address."""

import ipaddress
from typing import Final

from django.http import HttpRequest

IPV6_PREFIX: Final = 64  # what one customer gets: whoever has one address of it has all
UNKNOWN: Final = "0.0.0.0"  # noqa: S104  nobody's address, nothing is bound to it


def network_of(address: str) -> str:
    """Return the address itself, or the first one of its IPv6 network."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return UNKNOWN
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found), IPV6_PREFIX), strict=False).network_address)


def network_of_request(request: HttpRequest) -> str:
    """Return where a request came from."""
    return network_of(request.META.get("REMOTE_ADDR", ""))
