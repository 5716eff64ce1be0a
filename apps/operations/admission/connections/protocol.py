"""HTTP as uvicorn speaks it, on connections that end when they are of no use.

uvicorn waits for ever for the rest of a request's headers, and for who reads nothing of an answer;
h11 takes any number of header lines apart.
"""

import asyncio
import re
import resource
from functools import cache
from time import monotonic
from typing import Any, Final

import h11
from django.conf import settings
from uvicorn.protocols.http.h11_impl import H11Protocol

from apps.operations.admission.bodies.body_pace import BodyPace
from apps.operations.admission.connections.client_address import address_of
from apps.operations.admission.connections.header_buffer import HeaderBuffer
from apps.operations.admission.connections.open_connections import (
    CONNECTION,
    LOOK_SECONDS,
    Caps,
    Connections,
)
from apps.tenancy.sign_in.client_networks import network_of

# The size of a chunk below 16 bytes, on its line.
SMALL_CHUNK: Final = re.compile(rb"\r\n[0-9a-fA-F]\r\n")
CRUMB_BYTES: Final = 24
CRUMBS_FROM: Final = 64 * 2**10
SPARE_FILES: Final = 200  # of the process: databases, bodies on disk, the log


def caps_from_settings() -> Caps:
    """Return how many connections this process may hold: no more than it has files for."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = settings.PORTAL_MAX_CONNECTIONS + SPARE_FILES
    if soft < wanted <= hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    total = max(8, min(settings.PORTAL_MAX_CONNECTIONS, soft - SPARE_FILES))
    return Caps(total=total, each=total if settings.PORTAL_TRUST_PROXY else max(8, total // 4))


@cache
def opened() -> Connections:
    """Return the connections of this process."""
    return Connections(caps=caps_from_settings())


class OneLength(h11.Connection):
    """Refuses what has a length and chunks: who is in front may end it elsewhere than h11 does."""

    def next_event(self) -> Any:
        """Return what came next; raise RemoteProtocolError."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = {name for name, _ in event.headers}
            if {b"content-length", b"transfer-encoding"} <= names:
                raise h11.RemoteProtocolError("it has a length and chunks")
        return event


class GuardedProtocol(H11Protocol):
    """One connection."""

    network = sender = ""
    idle_since: float | None = None
    is_begun = is_served = False
    blocked_since: float | None = None
    asked_at = 0.0
    wire_bytes = small_chunks = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, or end it at once where there are too many."""
        super().connection_made(transport)
        self.conn.__class__ = OneLength
        self.conn._receive_buffer = self.head = HeaderBuffer()  # noqa: SLF001  h11 has no setting
        self.pace = BodyPace()
        self.network = self.sender = network_of(self.client[0] if self.client else "")
        self.idle_since, self.is_begun = monotonic(), True  # who connects has something to say
        if not opened().add(self):
            self.abort()
        _look_on(self.loop)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        opened().remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, and note whether a request is whole up to its body."""
        if not self.is_begun:
            self.idle_since, self.is_begun = monotonic(), True
        if self._is_crumbled(data):
            self.abort()
            return
        self.pace.count(len(data), now=monotonic())
        super().data_received(data)
        self._note()

    def handle_events(self) -> None:
        """Take note of a request that begins."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._begin()

    def behind(self, *, now: float) -> float:
        """Return for how many seconds its body should have been here already."""
        if self.conn.their_state is not h11.SEND_BODY or self.flow.read_paused:
            return 0.0  # nothing is missing, or it is us who don't read
        return self.pace.behind(now=now)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request; hang up where an answer is on its way already."""
        if self.conn.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            self.abort()
        elif self.head.is_over:
            self._send_431_response()
        else:
            super().send_400_response(msg)

    def on_response_complete(self) -> None:
        """Note that it waits for the next request."""
        self.is_served, self.sender = False, self.network
        super().on_response_complete()
        self.is_begun = bool(self.conn.trailing_data[0])
        self._note(is_new=True)
        if self.transport.is_closing() and self.blocked_since is None:
            self.blocked_since = monotonic()  # what is left of the answer has to be read, too

    def pause_writing(self) -> None:
        """Note that the reader takes nothing."""
        self.blocked_since = monotonic()
        super().pause_writing()

    def resume_writing(self) -> None:
        """Note that the reader went on."""
        if not self.transport.is_closing():
            self.blocked_since = None
        super().resume_writing()

    def abort(self) -> None:
        """End the connection at once, whatever is still to be sent."""
        self.transport.abort()

    def _is_crumbled(self, data: bytes) -> bool:
        """Say whether somebody sends a body in crumbs: each costs as much as a large part."""
        self.wire_bytes += len(data)
        self.small_chunks += sum(1 for _ in SMALL_CHUNK.finditer(data))
        return self.small_chunks * CRUMB_BYTES > max(self.wire_bytes, CRUMBS_FROM)

    def _begin(self) -> None:
        self.scope[CONNECTION] = self  # type: ignore[typeddict-unknown-key]  # for our own edge
        self.asked_at = monotonic()
        self.pace.begin(now=self.asked_at)
        self.sender = network_of(address_of(self.scope, behind_proxy=settings.PORTAL_TRUST_PROXY))

    def _send_431_response(self) -> None:
        text = b"The request has too many header lines, or too long ones; send fewer."
        headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(text)).encode())]
        headers.append((b"connection", b"close"))
        reason = b"Request Header Fields Too Large"
        start = h11.Response(status_code=431, headers=headers, reason=reason)
        for event in (start, h11.Data(data=text), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _should_upgrade(self) -> bool:
        return False  # there is nothing to upgrade to; uvicorn would log each who asks

    def _note(self, *, is_new: bool = False) -> None:
        if self.conn.their_state is not h11.IDLE:
            self.idle_since = None
        elif self.idle_since is None or is_new:
            self.idle_since = monotonic()


_looking: set[asyncio.AbstractEventLoop] = set()


def _look_on(loop: asyncio.AbstractEventLoop) -> None:
    """Look at all connections now and then, as long as there are any."""
    if loop not in _looking:
        _looking.add(loop)
        loop.call_later(LOOK_SECONDS, _look, loop)


def _look(loop: asyncio.AbstractEventLoop) -> None:
    _looking.discard(loop)
    opened().end_stale(now=monotonic())
    if len(opened()):
        _look_on(loop)
