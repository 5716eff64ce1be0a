"""The metrics server's HTTP door: requests in, answers out, one path per party."""

import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from apps.simulator.metrics_server.exposition import Parameters, respond
from apps.simulator.metrics_server.store import SeriesStore

_MAX_BODY_BYTES = 1_000_000


class Server(ThreadingHTTPServer):
    """Answers each request in a thread; who hangs up before its answer is no fault."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print what went wrong, unless the other side left."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def serve(
    *, port: int, stores: Callable[[], dict[str, SeriesStore]], clock: Callable[[], float]
) -> ThreadingHTTPServer:
    """Start answering on a loopback port; the first path element may name the party."""

    class Door(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            """Answer a GET."""
            self._answer(parse_qs(urlsplit(self.path).query))

        def do_POST(self) -> None:
            """Answer a form that is too long for a URL."""
            size = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(min(size, _MAX_BODY_BYTES)).decode("utf-8", "replace")
            self._answer(parse_qs(body) | parse_qs(urlsplit(self.path).query))

        def _answer(self, parameters: Parameters) -> None:
            path = urlsplit(self.path).path
            parties = stores()
            head, _, rest = path.lstrip("/").partition("/")
            store = parties.get(head)
            answer = respond(
                store=store or next(iter(parties.values())),
                path=f"/{rest}" if store else path,
                parameters=parameters,
                now=clock(),
            )
            self.send_response(answer.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer.body)))
            self.send_header("X-Simulated", "true")
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *args: object) -> None:
            """Stay quiet: requests of the portal are its own to log."""

    server = Server(("127.0.0.1", port), Door)
    threading.Thread(target=server.serve_forever, name="exposition", daemon=True).start()
    return server
