"""Connections to the addresses that were checked, and to no others."""

import socket
import ssl
import time
from collections.abc import Iterator, MutableSet, Sequence
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any, Final
from weakref import WeakSet

import requests
from requests.adapters import HTTPAdapter
from urllib3 import PoolManager, Retry
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    NewConnectionError,
)
from urllib3.util import connection as plain

from apps.tenancy.outbound.policy import OutboundRefused, Policy

CONNECT_SECONDS: Final = 3.0
AGAIN_SECONDS: Final = 0.5
LEAST_SECONDS: Final = 0.25  # for one address of many
RETRIED_STATUS: Final = (429, 502, 503, 504)


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
