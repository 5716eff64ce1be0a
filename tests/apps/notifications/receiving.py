"""A mail server and a webhook's receiver on loopback, both real, and people to write to."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from apps.notifications.models import Subscription, Webhook
from apps.notifications.webhook.signing import new_secret
from apps.tenancy.credentials import seal
from apps.tenancy.models import MemberRole, Organization, User
from apps.tenancy.scope import organization_scope
from tests.cast import make

ALL = ["incident.opened", "incident.verdict_changed", "incident.assigned", "source.silent"]


@dataclass  # no slots: the server looks at every member, which early 3.11 can't with them
class Mailbox:
    """What a mail server was handed, and what it answers."""

    letters: list[EmailMessage] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)  # to letters in order; then 250

    async def handle_DATA(  # noqa: N802  the name that the server looks for
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        """Keep a letter, or refuse it."""
        answer = self.answers.pop(0) if self.answers else "250 OK"
        if answer.startswith("250"):
            assert isinstance(envelope.content, bytes)
            letter = message_from_bytes(envelope.content, policy=policy.default)
            assert isinstance(letter, EmailMessage)
            self.letters.append(letter)
        return answer

    @property
    def subjects(self) -> list[str]:
        """Return the subjects, in the order of arrival."""
        return [str(letter["Subject"]) for letter in self.letters]


@contextmanager
def mail_server(settings: Any) -> Iterator[Mailbox]:
    """Run a mail server and let the portal write through it."""
    box = Mailbox()
    controller = Controller(box, hostname="127.0.0.1", port=free_port())
    controller.start()
    settings.PORTAL_SMTP = plain(controller.port)
    try:
        yield box
    finally:
        controller.stop()


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port: int = asked.getsockname()[1]
        return port


def plain(port: int) -> dict[str, Any]:
    """Return the setting of a mail server on this machine that needs nothing."""
    return {"host": "127.0.0.1", "port": port, "user": "", "password": "", "security": "none"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """One request at the receiver."""

    headers: dict[str, str]
    body: bytes


class Receiver(ThreadingHTTPServer):
    """A webhook's receiver: keeps what comes, answers what it is told to."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.arrived: list[Arrived] = []
        self.answers: list[tuple[int, dict[str, str]]] = []  # in order; then `usual`
        self.usual = 204

    @property
    def url(self) -> str:
        """Return its address."""
        return f"http://127.0.0.1:{self.server_address[1]}/hook"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        """Keep the request and answer."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.arrived.append(Arrived(headers=dict(self.headers), body=body))
        answers = self.server.answers
        status, headers = answers.pop(0) if answers else (self.server.usual, {})
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def receiver() -> Iterator[Receiver]:
    """Run a receiver."""
    server = Receiver()
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def person(organization: Organization, name: str, role: MemberRole = MemberRole.RESPONDER) -> User:
    """Make a member who can be written to."""
    user = make.user(organization=organization, role=role, name=name)
    user.email = user.confirmed_email = f"{name}@example.com"
    user.save()
    return user


def subscription(organization: Organization, user: User, **values: Any) -> Subscription:
    """Write down what a person chose."""
    with organization_scope(organization.pk):
        return Subscription.objects.create(
            organization=organization,
            user=user,
            changed_at=make.AT,
            **({"kinds": ALL} | values),
        )


def webhook(organization: Organization, url: str, **values: Any) -> str:
    """Make an organization's webhook on loopback, where only the simulated may; its secret."""
    Organization.objects.filter(pk=organization.pk).update(is_simulated=True)
    secret = new_secret()
    with organization_scope(organization.pk):
        Webhook.objects.create(
            organization=organization,
            url=url,
            secret=seal(secret=secret),
            created_at=make.AT,
            **({"kinds": ALL, "allowed_networks": ["127.0.0.0/8"]} | values),
        )
    return secret
