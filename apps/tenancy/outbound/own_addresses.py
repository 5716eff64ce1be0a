"""Which addresses are the portal's: of this machine on every interface, and of its own servers."""

import ipaddress
import socket
import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
REMEMBERED_SECONDS: Final = 60


def is_own(*, address: Address) -> bool:
    """Say whether an address is this machine's, or that of its database, queue or mail server."""
    return is_here(address=address) or address in _servers(_minute())


def is_here(*, address: Address) -> bool:
    """Say whether an address belongs to an interface of this machine. Sends nothing.

    What one can bind to is one's own. Where the machine lets anything be bound to
    (`ip_nonlocal_bind`), the address that the machine would speak from tells it.
    """
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((str(address), 0))
        except OSError:
            return False
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((str(address), 9))  # datagrams: nothing leaves by it
        except OSError:
            return True
        return bool(ipaddress.ip_address(probe.getsockname()[0]) == address)


def mapped(address: Address) -> Address:
    """Return an IPv4-mapped address as IPv4, others as they are."""
    inner = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return inner or address


def _minute() -> int:
    return int(time.monotonic() // REMEMBERED_SECONDS)


@lru_cache(maxsize=1)
def _servers(_minute: int) -> frozenset[Address]:
    return frozenset(address for host in _hosts() for address in _resolved(host))


def _hosts() -> Iterator[str]:
    for database in settings.DATABASES.values():
        yield from str(database.get("HOST") or "").split(",")
    yield urlsplit(settings.PORTAL_REDIS_URL).hostname or ""
    yield settings.PORTAL_SMTP.get("host", "")


def _resolved(host: str) -> Iterator[Address]:
    if not host or host.startswith(("/", "@")):  # a socket in the file system
        return
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return
    for *_, where in found:
        yield mapped(ipaddress.ip_address(str(where[0]).partition("%")[0]))
