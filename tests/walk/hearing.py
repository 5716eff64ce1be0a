"""A mail server and a webhook on loopback that keep what they are sent."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aiosmtpd.controller import Controller

from tests.live.serving import free_port


@dataclass
class Letters:
    """What a mail server took in."""

    port: int
    kept: list[EmailMessage] = field(default_factory=list)

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        """Take a letter, as aiosmtpd hands it over."""
        self.kept.append(message_from_bytes(envelope.content, policy=policy.default))
        return "250 taken"


def read(letter: EmailMessage) -> str:
    """Return all texts of a letter, decoded."""
    return "\n".join(
        str(part.get_content()) for part in letter.walk() if part.get_content_maintype() == "text"
    )


@contextmanager
def mail_server() -> Iterator[Letters]:
    """Run a real SMTP server."""
    letters = Letters(port=free_port())
    controller = Controller(letters, hostname="127.0.0.1", port=letters.port)
    controller.start()
    try:
        yield letters
    finally:
        controller.stop()


class Hook(ThreadingHTTPServer):
    """Takes every POST and keeps its body and headers."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Take)
        self.kept: list[tuple[bytes, dict[str, str]]] = []

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}/faultline"


class _Take(BaseHTTPRequestHandler):
    server: Hook

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.kept.append((body, {k.lower(): v for k, v in self.headers.items()}))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_arguments: object) -> None:
        """Stay quiet."""


@contextmanager
def webhook() -> Iterator[Hook]:
    """Run a receiver of webhooks."""
    hook = Hook()
    thread = threading.Thread(target=hook.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield hook
    finally:
        hook.shutdown()
        thread.join()
        hook.server_close()
