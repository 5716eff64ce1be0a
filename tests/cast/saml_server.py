"""A SAML provider as a program of its own: `python -m tests.cast.saml_server 8765`.

`/metadata` is what it publishes, `/sso` its page to sign in, `/groups` whose groups it tells of.
"""

import json
import sys
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.cast.saml_provider import ALICE, SamlProvider, Told, encoded, request_of

PAGE = """<!doctype html><title>Provider</title><form method="post" action="{receiver}">
<input type="hidden" name="SAMLResponse" value="{answer}">
<button>Sign in as Alice</button></form>"""


class Server(ThreadingHTTPServer):
    """Knows Alice, and her groups."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        # Another site than the portal's 127.0.0.1, as providers are.
        self.provider = SamlProvider(issuer=f"http://localhost:{port}/metadata")
        self.provider.sign_in_url = f"http://localhost:{port}/sso"
        self.groups: list[str] = []

    def page(self, path: str) -> str:
        """Return the page that signs Alice in for a request."""
        asked = request_of(path)
        told = Told(attributes={**ALICE, "groups": self.groups})
        answer = encoded(self.provider.answer(asked, told=told))
        return PAGE.format(receiver=escape(asked.receiver), answer=answer)


class Handler(BaseHTTPRequestHandler):
    """Answers by path."""

    server: Server

    def do_GET(self) -> None:
        """Show what is asked for."""
        path = urlsplit(self.path).path
        if path == "/sso":
            self._say(self.server.page(self.path))
        else:
            self._say(self.server.provider.metadata() if path == "/metadata" else "ready")

    def do_PUT(self) -> None:
        """Take Alice's groups."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.groups = json.loads(body)
        self._say("known")

    def _say(self, text: str) -> None:
        octets = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(octets)))
        self.end_headers()
        self.wfile.write(octets)

    def log_message(self, *_arguments: Any) -> None:
        """Stay quiet."""


if __name__ == "__main__":
    Server(int(sys.argv[1])).serve_forever()
