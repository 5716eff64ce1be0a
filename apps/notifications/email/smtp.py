"""One conversation with the mail server: bounded in time as a whole, not only between two bytes."""

import smtplib
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from threading import Timer
from typing import Final

from django.conf import settings

from apps.notifications.delivery import outbound_freeze

# Of one answer of the server, and of everything that a turn says to it.
STEP_SECONDS: Final = 10.0
CONVERSATION_SECONDS: Final = 25.0


class ServerAway(Exception):
    """The mail server can't be reached or talked to; the message says how far it came."""


class LetterRefused(Exception):
    """The server said no to one letter. `is_final`: it would say so again."""

    def __init__(self, *, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status
        self.is_final = status >= 500


class Conversation:
    """A connection that is ready to take letters."""

    def __init__(self, client: smtplib.SMTP) -> None:
        self._client = client

    def send(self, *, sender: str, recipient: str, letter: Message) -> None:
        """Hand one letter over; raise LetterRefused or ServerAway."""
        try:
            self._client.sendmail(sender, [recipient], letter.as_bytes())
        except smtplib.SMTPRecipientsRefused as error:
            status, said = next(iter(error.recipients.values()))
            raise LetterRefused(status=status, said=_words(said)) from error
        except (smtplib.SMTPSenderRefused, smtplib.SMTPDataError) as error:
            if error.smtp_code == 421:
                raise ServerAway("it closed the connection") from error
            raise LetterRefused(status=error.smtp_code, said=_words(error.smtp_error)) from error
        except (smtplib.SMTPException, OSError) as error:
            raise ServerAway(f"while a letter was handed over: {_reason(error)}") from error


@contextmanager
def conversation() -> Iterator[Conversation]:
    """Connect, secure the connection as PORTAL_SMTP_URL says, sign in. Raises ServerAway."""
    if said := outbound_freeze.said():
        raise ServerAway(said)
    client = _client()
    # A server that sends a byte now and then would never run into a limit on each of them.
    cutting = Timer(CONVERSATION_SECONDS, _cut, [client])
    cutting.daemon = True
    cutting.start()
    try:
        _open(client)
        yield Conversation(client)
        _say_goodbye(client)
    finally:
        cutting.cancel()
        client.close()


def _client() -> smtplib.SMTP:
    if settings.PORTAL_SMTP["security"] == "tls":
        return smtplib.SMTP_SSL(timeout=STEP_SECONDS, context=ssl.create_default_context())
    return smtplib.SMTP(timeout=STEP_SECONDS)


def _open(client: smtplib.SMTP) -> None:
    server = settings.PORTAL_SMTP
    step = f"connecting to {server['host']}:{server['port']}"
    try:
        # Given to the constructor it would be connected to there, out of reach of the timer; yet
        # this is the name that its certificate is checked for.
        client._host = server["host"]  # type: ignore[attr-defined] # noqa: SLF001
        client.connect(server["host"], server["port"])
        step = "greeting"
        client.ehlo()
        if server["security"] == "starttls":
            step = "STARTTLS"
            client.starttls(context=ssl.create_default_context())
            client.ehlo()
        if server["user"]:
            step = "signing in"
            client.login(server["user"], server["password"])
    except (smtplib.SMTPException, OSError) as error:
        raise ServerAway(f"{step}: {_reason(error)}") from error


def _say_goodbye(client: smtplib.SMTP) -> None:
    try:
        client.quit()
    except (smtplib.SMTPException, OSError):
        return  # what was handed over is handed over


def _cut(client: smtplib.SMTP) -> None:
    if isinstance(client.sock, socket.socket):
        try:
            client.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # closed meanwhile


def _reason(error: Exception) -> str:
    """Return what went wrong, without what either side may have quoted of a credential."""
    match error:
        case TimeoutError():
            said = f"no answer within {STEP_SECONDS:.0f} s"
        case smtplib.SMTPServerDisconnected():
            said = "it fell silent, or closed the connection"
        case smtplib.SMTPAuthenticationError():
            said = f"refused ({error.smtp_code}); check user and password in PORTAL_SMTP_URL"
        case smtplib.SMTPResponseException():
            said = f"answered {error.smtp_code}"
        case smtplib.SMTPNotSupportedError():
            said = "it does not offer this; see PORTAL_SMTP_URL"
        case ssl.SSLCertVerificationError():
            said = f"its certificate does not verify: {error.verify_message}"
        case OSError():
            said = error.strerror or ""
        case _:
            said = ""
    return said or type(error).__name__


def _words(said: bytes | str) -> str:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:200]
