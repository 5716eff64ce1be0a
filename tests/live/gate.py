"""A door before the portal that can be shut, refuse, or lose an answer: what senders meet."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import requests

from tests.live.serving import free_port

KEPT = ("Authorization", "Content-Type", "Content-Encoding", "User-Agent")
LOST = -1  # the portal takes it, and the sender never hears of it


@dataclass(slots=True)
class Gate:
    """Hands requests on to `behind`, but for what `answers` says of the next ones."""

    behind: str
    port: int = field(default_factory=free_port)
    answers: deque[int] = field(default_factory=deque)
    told: list[tuple[int, str]] = field(default_factory=list)  # status, and what the portal said
    sent: list[tuple[str, bytes]] = field(default_factory=list)  # path and body of each request

    @property
    def url(self) -> str:
        """Return where senders send to."""
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Listen until the block ends; nobody listens outside of it, as when a portal restarts."""
        server = _Server(self)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


class _Handler(BaseHTTPRequestHandler):
    """One connection of a sender."""

    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_POST(self) -> None:
        gate, body = self.server.gate, self._body()
        gate.sent.append((self.path, body))
        planned = gate.answers.popleft() if gate.answers else 0
        if planned > 0:
            gate.told.append((planned, ""))
            self._say(planned, b"{}")
            return
        kept = {name: self.headers[name] for name in KEPT if name in self.headers}
        answer = requests.post(gate.behind + self.path, body, headers=kept, timeout=60)
        gate.told.append((answer.status_code, answer.text))
        if planned == LOST:
            self.close_connection = True
        else:
            self._say(answer.status_code, answer.content)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _say(self, status: int, body: bytes) -> None:
        self.send_response(status)
        if status in {429, 503}:
            self.send_header("Retry-After", "1")
        if body:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  named by the library
        """Say nothing: what was asked is kept."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, gate: Gate) -> None:
        super().__init__(("127.0.0.1", gate.port), _Handler)
        self.gate = gate
