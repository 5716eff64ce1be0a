"""Django's SMTP backend, bounded in time as a whole, not only between two bytes.

It says how far it came, and sends nothing while sending is on hold.
"""

import smtplib
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any, Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.smtp import EmailBackend

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


class _Connection(smtplib.SMTP):
    """A connection that is cut when its time is over, whatever step it is in."""

    def __init__(self, host: str, port: int, local_hostname: str, **given: Any) -> None:
        self.sock = None
        # A server that sends a byte now and then would never run into a limit on each of them.
        self._cutting = Timer(CONVERSATION_SECONDS, self._cut)
        self._cutting.daemon = True
        self._cutting.start()
        # A name without a domain is no name to greet with: many servers refuse it.
        name = local_hostname if "." in local_hostname else None
        try:
            with _step(f"connecting to {host}:{port}"):
                super().__init__(host, port, name, **given)
        except ServerAway:
            self.close()
            raise

    def ehlo_or_helo_if_needed(self) -> None:
        """Greet the server."""
        with _step("greeting"):
            super().ehlo_or_helo_if_needed()

    def starttls(self, *given: Any, **named: Any) -> Any:
        """Secure the connection."""
        with _step("STARTTLS"):
            return super().starttls(*given, **named)

    def login(self, *given: Any, **named: Any) -> Any:
        """Sign in."""
        with _step("signing in"):
            return super().login(*given, **named)

    def close(self) -> None:
        """Close the connection, at once."""
        self._cutting.cancel()
        super().close()

    def _cut(self) -> None:
        if isinstance(self.sock, socket.socket):
            try:
                self.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                return  # closed meanwhile


class _SecureConnection(_Connection, smtplib.SMTP_SSL):
    """The same with TLS from the first byte."""


class Backend(EmailBackend):
    """Talks to the server of PORTAL_SMTP_URL, and to it alone."""

    connection: _Connection | None

    def __init__(self, **given: Any) -> None:
        server = settings.PORTAL_SMTP
        if not server:
            raise ServerAway("no mail server is set; see PORTAL_SMTP_URL")
        super().__init__(
            host=server["host"],
            port=server["port"],
            username=server["user"],
            password=server["password"],
            use_tls=server["security"] == "starttls",
            use_ssl=server["security"] == "tls",
            timeout=STEP_SECONDS,
            **given,
        )

    @property
    def connection_class(self) -> type[_Connection]:
        """What connects."""
        return _SecureConnection if self.use_ssl else _Connection

    def open(self) -> bool | None:
        """Connect, secure the connection, sign in. Raises ServerAway."""
        if said := outbound_freeze.said():
            raise ServerAway(said)
        return super().open()

    def hand_over(self, letter: EmailMessage) -> None:
        """Hand one letter over; raise LetterRefused or ServerAway."""
        try:
            self.send_messages([letter])
        except smtplib.SMTPRecipientsRefused as error:
            status, said = next(iter(error.recipients.values()))
            raise LetterRefused(status=status, said=_words(said)) from error
        except (smtplib.SMTPSenderRefused, smtplib.SMTPDataError) as error:
            if error.smtp_code == 421:
                raise ServerAway("it closed the connection") from error
            raise LetterRefused(status=error.smtp_code, said=_words(error.smtp_error)) from error
        except (smtplib.SMTPException, OSError) as error:
            raise ServerAway(f"while a letter was handed over: {_reason(error)}") from error

    def _close_connection(self, connection: _Connection) -> None:
        try:
            connection.quit()
        except (smtplib.SMTPException, OSError):
            return  # what was handed over is handed over
        finally:
            connection.close()


@contextmanager
def conversation() -> Iterator[Backend]:
    """Yield a connection that is ready to take letters. Raises ServerAway."""
    backend = Backend()
    try:
        backend.open()
        yield backend
    finally:
        backend.close()


@contextmanager
def _step(name: str) -> Iterator[None]:
    try:
        yield
    except (smtplib.SMTPException, OSError) as error:
        raise ServerAway(f"{name}: {_reason(error)}") from error


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
