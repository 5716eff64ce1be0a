"""A small server that answers as a test wants, and a policy that lets it be reached."""

import ipaddress
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from apps.tenancy.outbound.policy import (
    Policy,
)

HERE = Policy(networks=(ipaddress.ip_network("127.0.0.0/8"),))


class Handler(BaseHTTPRequestHandler):
    """Answers by path; keeps what it was asked and with which credential."""

    server: "Server"

    def do_GET(self) -> None:
        """Answer one request."""
        self.server.seen.append((self.path, self.headers.get("Authorization")))
        if self.path.startswith("/trickle"):
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
            while not self.server.hold.wait(0.05):
                self.wfile.write(b"x")
        if self.path.startswith("/away"):
            self.send_response(302)
            self.send_header("Location", self.server.away)
            self.end_headers()
            return
        self.send_response(200)
        self.end_headers()
        chunks = 64 if self.path.startswith("/big") else 1
        for _ in range(chunks):
            self.wfile.write(b"x" * 65536)
        if self.path.startswith("/drip"):
            self.server.hold.wait(5)

    def log_message(self, *_arguments: object) -> None:
        """Stay quiet."""


class Server(ThreadingHTTPServer):
    """A server on loopback that counts."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[tuple[str, str | None]] = []
        self.away = ""
        self.hold = threading.Event()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"
