"""Requests that go only where the policy lets them.

The connection goes to the address that was judged, no redirect is followed, no proxy is used, and
what is read of an answer is bounded in time and size.
"""

import socket
import ssl
import time
from collections.abc import Callable, Iterator, MutableSet, Sequence
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any, Final
from urllib.parse import SplitResult
from weakref import WeakSet

import requests
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

from apps.diagnosis.model import Statement, statement
from apps.tenancy.outbound.policy import NOT_THERE, OutboundRefused, Policy
from apps.wording import in_english

CONNECT_SECONDS: Final = 3.0
READ_SECONDS: Final = 15.0
AGAIN_SECONDS: Final = 0.5
LEAST_SECONDS: Final = 0.25  # for one address of many
MAX_BYTES: Final = 16 * 2**20
CHUNK_BYTES: Final = 256 * 1024
RETRIED_STATUS: Final = (429, 502, 503, 504)


class AnswerTooBig(Exception):
    """The other side sent more than was agreed to read."""


class AnswerTooSlow(Exception):
    """The other side did not finish within the time that was given."""


class GuardedAdapter(HTTPAdapter):
    """Connects only to addresses that the policy judged, with the name kept for TLS."""

    def __init__(
        self, *, policy: Policy, ca_pem: str = "", retried: Sequence[int] = RETRIED_STATUS
    ) -> None:
        self._policy = policy
        self._connections: WeakSet[HTTPConnection] = WeakSet()
        self._context = ssl.create_default_context(cadata=ca_pem) if ca_pem else None
        # POST is only used to ask: asking twice does no harm.
        retry = Retry(
            total=1,
            connect=0 if policy.is_discreet else None,  # its time is the same whatever failed
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
        _guard(self.poolmanager, self._policy, self._connections)

    @contextmanager
    def hanging_up(self, *, seconds: float) -> Iterator[None]:
        """Hang up after so many seconds, and whenever it is tried again; raises ReadTimeout."""
        has_come, is_over = Event(), Event()

        def wait() -> None:
            late = seconds
            while not has_come.wait(late):
                is_over.set()
                self._hang_up()
                late = AGAIN_SECONDS

        waiting = Thread(target=wait, daemon=True)
        waiting.start()
        try:
            yield
        finally:
            has_come.set()
            waiting.join()
        # Headers that were cut off read like complete ones.
        if is_over.is_set():
            raise requests.exceptions.ReadTimeout(f"no answer within {seconds:g} s")

    def _hang_up(self) -> None:
        """End what is open: a read that waits returns at once, without an answer."""
        for each in list(self._connections):
            with suppress(OSError):
                if each.sock is not None:
                    # Not TLS' own, which takes the cipher from under the reader.
                    socket.socket.shutdown(each.sock, socket.SHUT_RDWR)

    def proxy_manager_for(self, *_args: Any, **_kwargs: Any) -> Any:
        """Refuse: a proxy would connect where nobody judged."""
        raise OutboundRefused("proxies are not used")


def _guard(manager: PoolManager, policy: Policy, connections: MutableSet[HTTPConnection]) -> None:
    def connect(self: HTTPConnection) -> socket.socket:
        connections.add(self)
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
    """Connect to one of the addresses, in the time for one: a name may have a thousand of them."""
    failed: HTTPError = NewConnectionError(wanted, "no address")
    patience = wanted.timeout if isinstance(wanted.timeout, int | float) else CONNECT_SECONDS
    ends_at = time.monotonic() + patience
    for number, address in enumerate(addresses, 1):
        left = ends_at - time.monotonic()
        if left <= 0:
            break
        # Half of it, so that the second family of a machine with two has its turn.
        seconds = left if number == len(addresses) else max(left / 2, min(left, LEAST_SECONDS))
        try:
            return plain.create_connection(
                (address, port), seconds, socket_options=wanted.socket_options
            )
        except TimeoutError:
            failed = ConnectTimeoutError(wanted, "connecting took too long")
        except OSError as error:
            failed = NewConnectionError(wanted, str(error))
    raise failed


class GuardedSession(requests.Session):
    """A session for one origin: its credential goes nowhere else, nothing replaces the guard."""

    def __init__(  # noqa: PLR0913  each bounds something else
        self,
        *,
        url: str,
        policy: Policy,
        ca_pem: str = "",
        max_bytes: int = MAX_BYTES,
        seconds: float = READ_SECONDS,
        retried: Sequence[int] = RETRIED_STATUS,  # none: the caller asks a busy server again
        check: Callable[[bytes], None] = lambda body: None,
    ) -> None:
        self._policy, self._check = policy, check
        self._max_bytes, self._seconds = max_bytes, seconds
        self._origin = _origin(policy.check_url(url))
        self._guard = GuardedAdapter(policy=policy, ca_pem=ca_pem, retried=retried)
        self._has_answered = False
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
        response = self._send_discreetly(request, stream=True, **kwargs)
        if not is_streamed:
            # What callers that know nothing of limits would have read without one.
            body = read_limited(response=response, max_bytes=self._max_bytes, seconds=self._seconds)
            self._check(body)
            response._content = body  # noqa: SLF001  requests has no public way to give a body
        return response

    def _send_discreetly(
        self, request: requests.PreparedRequest, **kwargs: Any
    ) -> requests.Response:
        """Fail after the same time, whatever failed: a closed port looks like no machine.

        Who has answered once in this session is known to be there.
        """
        ends_at = time.monotonic() + CONNECT_SECONDS
        try:
            # A time limit of a socket begins anew with each byte; headers may trickle.
            with self._guard.hanging_up(seconds=_whole(kwargs["timeout"])):
                response = super().send(request, **kwargs)
        except requests.RequestException:
            if self._policy.is_discreet and not self._has_answered:
                Event().wait(max(0.0, ends_at - time.monotonic()))
            raise
        self._has_answered = True
        return response

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Return nothing: a redirect is an answer like any other, also for `_next` of requests."""

    def close(self) -> None:
        """Close the connections."""
        self._guard.close()


def _whole(timeout: float | tuple[float, float]) -> float:
    """Return how long connecting and waiting for headers may take together."""
    return sum(timeout) if isinstance(timeout, tuple) else timeout + CONNECT_SECONDS


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


def reason(*, error: Exception, policy: Policy, seconds: float) -> str:
    """Return why nothing came back, for an admin, in English."""
    return in_english(failure_of(error=error, policy=policy, seconds=seconds))


def failure_of(*, error: Exception, policy: Policy, seconds: float) -> Statement:
    """Return the same as a fact; where private networks are open, always the same one."""
    if isinstance(error, OutboundRefused):
        is_plain = str(error) == in_english(NOT_THERE)
        return NOT_THERE if is_plain else statement("text", text=str(error))
    if policy.is_discreet:
        return statement("no-answer", seconds=round(seconds))
    # The first that fits: both others are connection errors, too.
    known = (
        (requests.exceptions.SSLError, statement("certificate-refused")),
        (requests.exceptions.Timeout, statement("answer-late", seconds=round(seconds))),
        (requests.exceptions.ConnectionError, statement("connection-broken")),
    )
    unknown = statement("text", text=type(error).__name__)
    return next((told for kind, told in known if isinstance(error, kind)), unknown)
