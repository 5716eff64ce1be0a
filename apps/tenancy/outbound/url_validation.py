"""Addresses as admins enter them: what can be refused before anything is connected to."""

import ipaddress
import re
import socket
from urllib.parse import urlsplit

from apps.tenancy.outbound.policy import Policy, refusal

LOCAL_NAMES = re.compile(r"(^|\.)(localhost|local|internal|localdomain)$")


def check_address(*, url: str, policy: Policy) -> None:
    """Raise OutboundRefused for an address that this policy would never connect to.

    Names that need a look-up are judged before each connection, outside of scopes.
    """
    policy.check_url(url)
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".").lower()
    address = _literal(host)
    if address is not None:
        policy.addresses(address, parts.port or 443)
    elif LOCAL_NAMES.search(host) and not policy.networks:
        raise refusal(host=host, port=parts.port or 443, why="a name of inside")


def _literal(host: str) -> str | None:
    # 0x7f000001 and 2130706433 are addresses, too.
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        return None
