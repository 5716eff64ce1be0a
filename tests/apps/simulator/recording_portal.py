"""A web server that keeps what it is sent and can be busy first: a portal seen from outside."""

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Received:
    """One accepted request."""

    path: str
    token: str
    size: int
    is_compressed: bool
    document: Any

    @property
    def streams(self) -> list[dict[str, Any]]:
        """The streams of a push, none of other documents."""
        return list(self.document.get("streams", ()))


@dataclass(slots=True)
class Portal:
    """Its address, what it got, and the statuses it answers before it accepts."""

    url: str = ""
    received: list[Received] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[Received, dict[str, str], list[list[str]]]]:
        """Yield each pushed stream with the request that carried it."""
        for request in self.received:
            for stream in request.streams:
                yield (request, stream["stream"], stream["values"])


@contextmanager
def recording_portal() -> Iterator[Portal]:
    """Serve on a free port until the block ends."""
    portal = Portal()

    class Door(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(200)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if portal.answers:
                self._answer(portal.answers.pop(0))
                return
            is_compressed = self.headers.get("Content-Encoding") == "gzip"
            plain = gzip.decompress(body) if is_compressed or body[:2] == GZIP else body
            is_file = self.headers["Content-Type"] == "application/octet-stream"
            document = {} if is_file else json.loads(plain)
            token = self.headers["Authorization"].removeprefix("Bearer ")
            portal.received.append(Received(self.path, token, len(body), is_compressed, document))
            self._answer(204)

        def _answer(self, status: int) -> None:
            self.send_response(status)
            self.send_header("Retry-After", "0")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    portal.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield portal
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def clock_until_told(
    directory: Path, stop: threading.Event, *, begins: float
) -> Callable[[], float]:
    """Return a clock that goes on by two seconds a look.

    It ends the run two minutes after it began, but not before the past is told.
    """
    state_path = directory / "simulator" / "state.json"
    now = begins

    def look() -> float:
        nonlocal now
        now += 2.0
        is_told = state_path.exists() and '"late"' in state_path.read_text()
        if is_told and now > begins + 120.0:
            stop.set()
        return now

    return look
