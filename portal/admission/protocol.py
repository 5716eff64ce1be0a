"""HTTP as uvicorn speaks it, on connections that end when they are of no use.

uvicorn waits for ever for the rest of a request's headers, and for who reads nothing of an answer.
"""

import asyncio
import re
import resource
from functools import cache
from time import monotonic
from typing import Final

import h11
from django.conf import settings
from uvicorn.protocols.http.h11_impl import H11Protocol

from apps.tenancy.networks import network_of
from portal.admission.connections import LOOK_SECONDS, Caps, Connections

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


class GuardedProtocol(H11Protocol):
    """One connection."""

    network = ""
    idle_since: float | None = None
    is_begun = False
    blocked_since: float | None = None
    wire_bytes = small_chunks = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, or end it at once where there are too many."""
        super().connection_made(transport)
        self.network = network_of(self.client[0] if self.client else "")
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
        super().data_received(data)
        self._note()

    def on_response_complete(self) -> None:
        """Note that it waits for the next request."""
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
