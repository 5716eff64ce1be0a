"""What the portal may reach: scheme, ports and addresses of every request it makes.

An address is judged after the name was resolved and the connection (`guarded_http`) goes to the
address that was judged: no spelling (0x7f000001) and no DNS that changes its answer gets around it.
Who asked reads the same words whatever the reason was, or the words would map the networks behind
the portal; the reason is in the log, for whoever runs it.
"""

import ipaddress
import logging
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from apps.diagnosis.model import statement
from apps.tenancy.outbound.own_addresses import Address, is_own, mapped
from apps.wording import in_english

logger = logging.getLogger(__name__)

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolver = Callable[[str, int], Sequence[str]]

DEFAULT_PORTS: Final = frozenset({80, 443, 3000, 3100, 8080, 8428, 8443, 8481, 9009, 9090, 9091})
# In a private network any other port may be a server of metrics; these never are.
NEVER_PORTS: Final = frozenset(range(1, 1024)) - {80, 443} | {
    *(2049, 2375, 2376, 2379, 2380, 3306, 3389, 5432, 5672, 6000, 6379, 9092, 10250, 11211, 27017)
}
UNREADABLE: Final = "the URL cannot be read; write http(s)://host:port"
# One refusal for all reasons: which it is would tell what is there.
NOT_THERE: Final = statement("outbound-refused")
TO_OPEN: Final = "list its network in PORTAL_OUTBOUND_NETWORKS and start the portal again"


# Where the refusals of the request at hand are collected.
_met: ContextVar[list[str] | None] = ContextVar("met", default=None)


def _networks(*texts: str) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(text) for text in texts)


# `ipaddress` calls these global, or not private, yet they lead inside or nowhere.
NEVER_PUBLIC: Final = _networks(
    "192.0.0.0/24", "100.64.0.0/10", "2001::/23", "2001:db8::/32", "3fff::/20",
)  # fmt: skip
# Unicast of the internet; 5f00::/16 (segments), 64:ff9b::/96 (IPv4 behind NAT64) … are not in it.
GLOBAL_IPV6: Final = ipaddress.IPv6Network("2000::/3")
# No list opens these: credentials of the machine itself, addresses that stand for another one or
# for many, and what is no address of anybody.
NEVER: Final = _networks(
    "0.0.0.0/8", "100.100.100.200/32", "168.63.129.16/32", "169.254.0.0/16", "192.0.0.192/32",
    "192.88.99.0/24", "224.0.0.0/4", "240.0.0.0/4",
    "::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64",
    "2001::/32", "2001:10::/28", "2001:20::/28", "2002::/16", "5f00::/16", "fd00:ec2::254/128",
    "fe80::/10", "fec0::/10", "ff00::/8",
)  # fmt: skip
LOOPBACK: Final = _networks("127.0.0.0/8", "::1/128")
# The second half of an address that carries an IPv4 one to a tunnel (ISATAP).
TUNNEL_MARKS: Final = frozenset({0x00005EFE, 0x02005EFE})


class OutboundRefused(Exception):
    """The portal must not send this request; the message is for whoever asked for it."""


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
    goes_anywhere: bool = False  # a person at a terminal, who could as well call curl
    # Where private networks are open, what fails in them is told in the same words and after the
    # same time: a closed port and a missing machine are no news for an organization.
    is_discreet: bool = False

    def check_url(self, url: str) -> SplitResult:
        """Return the parts of a URL; raise OutboundRefused for one that is never acceptable."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise OutboundRefused(UNREADABLE) from error
        # Line ends are left out by who reads a URL, and stay where it is kept and shown.
        if not url.isprintable() or " " in url:
            raise OutboundRefused(UNREADABLE)
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
            if self.goes_anywhere:
                raise OutboundRefused(f"{host}: the name does not resolve; check it") from error
            raise refusal(host=host, port=port, why="the name does not resolve") from error
        if not found:
            raise refusal(host=host, port=port, why="the name has no address")
        for text in found:
            if why := self._objection(text, port):
                raise refusal(host=host, port=port, why=f"{text}: {why}")
        return found

    def _objection(self, text: str, port: int) -> str:
        """Return why an address may not be reached, or nothing."""
        if self.goes_anywhere:
            return ""
        address = address_of(text)
        listed = [network for network in self.networks if address in network]
        if "%" in text or is_never(address):
            return "an address that nothing opens"
        # Opened by name alone, never along with the network around it.
        if not any(map(_names_a_machine, listed)) and is_ours(address):
            return f"an address of the portal's own servers; {TO_OPEN}, alone"
        if not listed and not is_public(address):
            return f"not public; {TO_OPEN}"
        is_open = port not in NEVER_PORTS if listed else port in self.ports
        return "" if is_open else "not a port of servers of metrics"


@contextmanager
def met() -> Iterator[list[str]]:
    """Collect why addresses are refused inside the block."""
    found: list[str] = []
    token = _met.set(found)
    try:
        yield found
    finally:
        _met.reset(token)


def refusal(*, host: str, port: int, why: str) -> OutboundRefused:
    """Return the refusal to raise, its reason told to the log alone."""
    if (found := _met.get()) is not None:
        found.append(why)
    logger.warning("outbound.refused", extra={"host": host[:100], "port": port, "why": why})
    return OutboundRefused(in_english(NOT_THERE))


def address_of(text: str) -> Address:
    """Return an address without zone, an IPv4-mapped one as IPv4."""
    return mapped(ipaddress.ip_address(text.partition("%")[0]))


def is_public(address: Address) -> bool:
    """Say whether an address is on the open internet and nowhere else."""
    if is_never(address) or any(address in network for network in NEVER_PUBLIC):
        return False
    is_unicast = isinstance(address, ipaddress.IPv4Address) or address in GLOBAL_IPV6
    return is_unicast and address.is_global and not address.is_multicast


def is_loopback(address: Address) -> bool:
    """Say whether an address is this machine whichever machine this is."""
    return any(address in network for network in LOOPBACK)


def is_ours(address: Address) -> bool:
    """Say whether an address leads to this machine or to the servers that the portal runs on."""
    return is_loopback(address) or is_own(address=address)


def is_never(address: Address) -> bool:
    """Say whether an address may not be reached whatever is listed."""
    if is_loopback(address):
        return False
    mark = int(address) >> 32 & 0xFFFFFFFF if address.version == 6 else 0
    return mark in TUNNEL_MARKS or any(address in network for network in NEVER)


def policy_for(*, allowed_networks: Iterable[str]) -> Policy:
    """Return where a source may lead: public, plus what its list and the operator both allow.

    `PORTAL_OUTBOUND_NETWORKS` is the list of whoever runs the portal; an empty one opens nothing.
    """
    opened = [
        both
        for mine in _readable(allowed_networks)
        for limit in _networks(*settings.PORTAL_OUTBOUND_NETWORKS)
        if (both := _common(limit, mine)) is not None
    ]
    return Policy(networks=tuple(dict.fromkeys(opened)), is_discreet=bool(opened))


def _readable(texts: Iterable[str]) -> Iterable[Network]:
    for text in texts:
        try:
            yield ipaddress.ip_network(text.strip(), strict=False)
        except ValueError:
            continue


def _common(one: Network, other: Network) -> Network | None:
    """Return what two networks share: the smaller one or nothing."""
    if _holds(one, other):
        return other
    return one if _holds(other, one) else None


def _names_a_machine(network: Network) -> bool:
    return network.num_addresses == 1 or any(_holds(each, network) for each in LOOPBACK)


def _holds(outer: Network, inner: Network) -> bool:
    if isinstance(outer, ipaddress.IPv4Network) and isinstance(inner, ipaddress.IPv4Network):
        return inner.subnet_of(outer)
    if isinstance(outer, ipaddress.IPv6Network) and isinstance(inner, ipaddress.IPv6Network):
        return inner.subnet_of(outer)
    return False
