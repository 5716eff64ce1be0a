"""What the portal may reach: scheme, ports and addresses of every request it makes.

An address is judged after the name was resolved and the connection (`apps.tenancy.guarded`) goes
to the address that was judged: no spelling (0x7f000001) and no DNS that changes its answer gets
around it.
"""

import ipaddress
import socket
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolver = Callable[[str, int], Sequence[str]]

DEFAULT_PORTS: Final = frozenset({80, 443, 3000, 3100, 8080, 8428, 8443, 8481, 9009, 9090, 9091})


def _networks(*texts: str) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(text) for text in texts)


# `ipaddress` calls these global, or not private, yet they lead inside or to a cloud's metadata.
NEVER_PUBLIC: Final = _networks(
    "192.0.0.0/24", "168.63.129.16/32", "64:ff9b::/96", "64:ff9b:1::/48",
    "2002::/16", "2001::/32", "fec0::/10",
)  # fmt: skip
# No list opens these: credentials of the machine itself.
METADATA: Final = _networks(
    "169.254.0.0/16", "fe80::/10", "192.0.0.192/32", "168.63.129.16/32",
    "100.100.100.200/32", "fd00:ec2::254/128",
)  # fmt: skip
# What an organization's own list can open at most; the machine of the portal is not among it.
PRIVATE: Final = _networks(
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"
)
LOOPBACK: Final = _networks("127.0.0.0/8", "::1/128")


class OutboundRefused(Exception):
    """The portal must not send this request; the message says why and what an admin can do."""


def system_resolver(host: str, port: int) -> Sequence[str]:
    """Return every address that the machine's resolver has for a name."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Where one organization's requests may go."""

    networks: tuple[Network, ...] = ()  # not public, yet allowed
    ports: frozenset[int] = DEFAULT_PORTS  # for public addresses
    resolver: Resolver = field(default=system_resolver)

    def check_url(self, url: str) -> SplitResult:
        """Return the parts of a URL; raise OutboundRefused for one that is never acceptable."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise OutboundRefused("the URL cannot be read; write http(s)://host:port") from error
        if parts.scheme not in {"http", "https"}:
            raise OutboundRefused(f"scheme {parts.scheme!r} is not allowed; use http or https")
        if parts.username is not None or parts.password is not None:
            raise OutboundRefused("the URL carries a user or password; enter them as credential")
        if not parts.hostname or port == 0:
            raise OutboundRefused("the URL names no host or an impossible port")
        return parts

    def addresses(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host if all of them may be reached, else raise."""
        try:
            found = list(self.resolver(host, port))
        except (OSError, UnicodeError) as error:
            raise OutboundRefused(f"{host}: the name does not resolve; check it") from error
        if not found:
            raise OutboundRefused(f"{host}: the name has no address; check it")
        for text in found:
            self._check(host, port, address_of(text))
        return found

    def _check(self, host: str, port: int, address: Address) -> None:
        is_listed = any(address in network for network in self.networks)
        if is_metadata(address) or not (is_listed or is_public(address)):
            raise OutboundRefused(
                f"{host} leads to an address that is not public; an admin can list its network "
                "as far as PORTAL_OUTBOUND_NETWORKS lets it (else private ranges, never loopback)"
            )
        if not is_listed and port not in self.ports:
            raise OutboundRefused(f"port {port} is not allowed for public addresses")


def address_of(text: str) -> Address:
    """Return an address without zone, an IPv4-mapped one as IPv4."""
    address = ipaddress.ip_address(text.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def is_public(address: Address) -> bool:
    """Say whether an address is on the open internet and nowhere else."""
    is_special = any(address in network for network in (*NEVER_PUBLIC, *METADATA))
    return address.is_global and not address.is_multicast and not is_special


def is_metadata(address: Address) -> bool:
    """Say whether an address may give away the credentials of the machine."""
    return any(address in network for network in METADATA)


def policy_for(*, allowed_networks: Iterable[str], is_simulated: bool) -> Policy:
    """Return where a source may lead: public, plus what its list and the operator both allow.

    `PORTAL_OUTBOUND_NETWORKS` is the operator's list; without it the private ranges, and for
    the simulated cluster, which lives on this machine, loopback.
    """
    operator = getattr(settings, "PORTAL_OUTBOUND_NETWORKS", None)
    limit = _networks(*operator) if operator else PRIVATE
    if is_simulated:
        limit += LOOPBACK
    opened: list[Network] = []
    for text in allowed_networks:
        try:
            network = ipaddress.ip_network(text.strip(), strict=False)
        except ValueError:
            continue
        opened += [network for each in limit if _holds(each, network)]
    return Policy(networks=tuple(opened))


def _holds(outer: Network, inner: Network) -> bool:
    if isinstance(outer, ipaddress.IPv4Network) and isinstance(inner, ipaddress.IPv4Network):
        return inner.subnet_of(outer)
    if isinstance(outer, ipaddress.IPv6Network) and isinstance(inner, ipaddress.IPv6Network):
        return inner.subnet_of(outer)
    return False
