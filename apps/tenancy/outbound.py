"""What the portal may reach: scheme, ports, addresses, size and time of every request it makes.

An address is judged after the name was resolved and the connection goes to the address that was
judged: no spelling (0x7f000001), no DNS that changes its answer and no redirect gets around it.
"""

import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

import requests
from django.conf import settings
from requests.adapters import HTTPAdapter
from urllib3 import PoolManager, Retry
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import (
    ConnectTimeoutError,
    DecodeError,
    HTTPError,
    NewConnectionError,
    ReadTimeoutError,
)
from urllib3.util import connection as plain

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolver = Callable[[str, int], Sequence[str]]

DEFAULT_PORTS: Final = frozenset({80, 443, 3000, 3100, 8080, 8428, 8443, 8481, 9009, 9090, 9091})
CONNECT_SECONDS: Final = 3.0
READ_SECONDS: Final = 15.0
MAX_BYTES: Final = 16 * 2**20
CHUNK_BYTES: Final = 256 * 1024
RETRIED_STATUS: Final = (429, 502, 503, 504)


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


class AnswerTooBig(Exception):
    """The other side sent more than was agreed to read."""


class AnswerTooSlow(Exception):
    """The other side did not finish within the time that was given."""


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


class GuardedAdapter(HTTPAdapter):
    """Connects only to addresses that the policy judged, with the name kept for TLS."""

    def __init__(
        self, *, policy: Policy, ca_pem: str = "", retried: Sequence[int] = RETRIED_STATUS
    ) -> None:
        self._policy = policy
        self._context = ssl.create_default_context(cadata=ca_pem) if ca_pem else None
        # POST is only used to ask: asking twice does no harm.
        retry = Retry(
            total=1,
            read=False,  # who let us wait once gets no second turn
            backoff_factor=0.2,
            allowed_methods=None,
            status_forcelist=retried,
            respect_retry_after_header=False,
            raise_on_status=False,
        )
        super().__init__(max_retries=retry, pool_connections=1, pool_maxsize=4)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Let every connection of this adapter open its socket through the policy."""
        super().init_poolmanager(*args, ssl_context=self._context, **kwargs)
        _guard(self.poolmanager, self._policy)

    def proxy_manager_for(self, *_args: Any, **_kwargs: Any) -> Any:
        """Refuse: a proxy would connect where nobody judged."""
        raise OutboundRefused("proxies are not used")


def _guard(manager: PoolManager, policy: Policy) -> None:
    def connect(self: HTTPConnection) -> socket.socket:
        port = self.port or self.default_port
        return _connect(self, policy.addresses(self._dns_host, port), port)

    class Plain(HTTPConnection):
        _new_conn = connect

    class Encrypted(HTTPSConnection):
        _new_conn = connect

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class EncryptedPool(HTTPSConnectionPool):
        ConnectionCls = Encrypted

    manager.pool_classes_by_scheme = {"http": PlainPool, "https": EncryptedPool}


def _connect(wanted: HTTPConnection, addresses: Sequence[str], port: int) -> socket.socket:
    failed: HTTPError = NewConnectionError(wanted, "no address")
    for address in addresses:
        try:
            return plain.create_connection(
                (address, port), wanted.timeout, socket_options=wanted.socket_options
            )
        except TimeoutError:
            failed = ConnectTimeoutError(wanted, "connecting took too long")
        except OSError as error:
            failed = NewConnectionError(wanted, str(error))
    raise failed


class GuardedSession(requests.Session):
    """A session for one origin: its credential goes nowhere else, nothing replaces the guard."""

    def __init__(
        self,
        *,
        url: str,
        policy: Policy,
        ca_pem: str = "",
        max_bytes: int = MAX_BYTES,
        seconds: float = READ_SECONDS,
        retried: Sequence[int] = RETRIED_STATUS,  # none: the caller asks a busy server again
    ) -> None:
        self._policy = policy
        self._max_bytes, self._seconds = max_bytes, seconds
        self._origin = _origin(policy.check_url(url))
        self._guard = GuardedAdapter(policy=policy, ca_pem=ca_pem, retried=retried)
        super().__init__()
        self.trust_env = False  # no proxies, no .netrc from the environment

    def mount(self, prefix: str | bytes, adapter: Any) -> None:
        """Ignore every other adapter: PrometheusConnect mounts a plain one of its own."""

    def get_adapter(self, url: str) -> HTTPAdapter:
        """Return the guard, whatever the URL."""
        return self._guard

    def send(self, request: requests.PreparedRequest, **kwargs: Any) -> requests.Response:
        """Send to the origin of this session: no redirects, limits on time and size."""
        parts = self._policy.check_url(request.url or "")
        if _origin(parts) != self._origin:
            raise OutboundRefused("this session speaks to one host only")
        kwargs["allow_redirects"] = False
        kwargs["proxies"] = {}
        if kwargs.get("timeout") is None:
            kwargs["timeout"] = (CONNECT_SECONDS, READ_SECONDS)
        is_streamed = kwargs.pop("stream", False)
        response = super().send(request, stream=True, **kwargs)
        if not is_streamed:
            # What callers that know nothing of limits would have read without one.
            body = read_limited(response=response, max_bytes=self._max_bytes, seconds=self._seconds)
            response._content = body  # noqa: SLF001  requests has no public way to give a body
        return response

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Return nothing: a redirect is an answer like any other, also for `_next` of requests."""

    def close(self) -> None:
        """Close the connections."""
        self._guard.close()


def _origin(parts: SplitResult) -> tuple[str, str, int]:
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return parts.scheme, (parts.hostname or "").rstrip("."), port


def read_limited(*, response: requests.Response, max_bytes: int, seconds: float) -> bytes:
    """Return the decoded body of a streamed response; raise if it is too big or too slow."""
    ends_at = time.monotonic() + seconds
    body = bytearray()
    for chunk in _arriving(response):
        body += chunk
        if len(body) > max_bytes:
            response.close()
            raise AnswerTooBig(f"more than {max_bytes / 2**20:.0f} MiB")
        if time.monotonic() > ends_at:
            response.close()
            raise AnswerTooSlow(f"not complete after {seconds:.0f} s")
    return bytes(body)


def _arriving(response: requests.Response) -> Iterator[bytes]:
    """Yield what has arrived, however little: who waits for a whole chunk of a trickle never ends.

    Raises what requests raises for a body that breaks off.
    """
    try:
        while chunk := response.raw.read1(CHUNK_BYTES, decode_content=True):
            yield chunk
    except ReadTimeoutError as error:
        raise requests.exceptions.ReadTimeout(error) from error
    except DecodeError as error:
        raise requests.exceptions.ContentDecodingError(error) from error
    except HTTPError as error:
        raise requests.exceptions.ConnectionError(error) from error
