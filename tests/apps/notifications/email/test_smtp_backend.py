"""Talking to mail servers: TLS as it is set, passwords, and how far it came when it fails."""

import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.core.mail import EmailMessage

from apps.notifications.email import smtp_backend
from tests.apps.notifications.receiving import Mailbox, free_port, plain

pytestmark = pytest.mark.django_db  # whether the portal may send stands in the database

USER, PASSWORD = "portal", "p@ss:word/1"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for this machine that nobody signed but itself, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)  # noqa: TID251  the TLS library looks at the clock
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    crt, pem = folder / "crt.pem", folder / "key.pem"
    crt.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    pem.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return crt, pem


@pytest.fixture
def safe(certificate: tuple[Path, Path]) -> Iterator[tuple[Mailbox, int]]:
    """A mail server behind STARTTLS and a password."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*certificate)
    box = Mailbox()

    def check(_server: Any, _session: Any, _envelope: Any, _way: str, given: Any) -> AuthResult:
        assert isinstance(given, LoginPassword)
        is_good = (given.login.decode(), given.password.decode()) == (USER, PASSWORD)
        return AuthResult(success=is_good, handled=False)

    controller = Controller(
        box, hostname="127.0.0.1", port=free_port(), tls_context=context, require_starttls=True,
        authenticator=check, auth_required=True,
    )  # fmt: skip
    controller.start()
    yield box, controller.port
    controller.stop()


def secured(port: int, **values: Any) -> dict[str, Any]:
    """Return the setting of a server with STARTTLS and a password."""
    return plain(port) | {"security": "starttls", "user": USER, "password": PASSWORD} | values


def write() -> None:
    """Send one letter."""
    letter = EmailMessage(
        subject="한국어 and a dot",
        body="first\n.\n..last\n",
        from_email="a@example.com",
        to=["b@example.com"],
    )
    with smtp_backend.conversation() as conversation:
        conversation.hand_over(letter)


def test_a_letter_goes_over_tls_with_a_password_and_arrives_as_it_was(
    safe: tuple[Mailbox, int], certificate: tuple[Path, Path], settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    box, port = safe
    settings.PORTAL_SMTP = secured(port)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    write()
    (letter,) = box.letters
    assert letter["Subject"] == "한국어 and a dot"
    assert letter.get_content().splitlines() == ["first", ".", "..last"]


def test_a_certificate_that_nobody_vouches_for_is_refused(
    safe: tuple[Mailbox, int], settings: Any
) -> None:
    box, port = safe
    settings.PORTAL_SMTP = secured(port)
    with pytest.raises(smtp_backend.ServerAway, match="STARTTLS: its certificate does not verify"):
        write()
    assert box.letters == []


def test_a_wrong_password_is_said_without_it(
    safe: tuple[Mailbox, int], certificate: tuple[Path, Path], settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    settings.PORTAL_SMTP = secured(safe[1], password="wrong-and-secret")  # noqa: S106  is wrong
    with pytest.raises(smtp_backend.ServerAway, match="signing in: refused") as away:
        write()
    assert "secret" not in str(away.value)
    assert "PORTAL_SMTP_URL" in str(away.value)


def test_a_server_without_tls_is_not_written_to_in_clear(settings: Any) -> None:
    box = Mailbox()
    controller = Controller(box, hostname="127.0.0.1", port=free_port())
    controller.start()
    settings.PORTAL_SMTP = secured(controller.port, user="")
    try:
        with pytest.raises(smtp_backend.ServerAway, match="STARTTLS: it does not offer this"):
            write()
    finally:
        controller.stop()
    assert box.letters == []


def test_nobody_there_is_said_with_the_address(settings: Any) -> None:
    port = free_port()
    settings.PORTAL_SMTP = plain(port)
    with pytest.raises(
        smtp_backend.ServerAway, match=f"connecting to 127.0.0.1:{port}: Connection refused"
    ):
        write()


@pytest.mark.parametrize("security", ["none", "starttls", "tls"])
def test_a_server_that_says_nothing_is_left_after_its_time(
    settings: Any, monkeypatch: pytest.MonkeyPatch, security: str
) -> None:
    monkeypatch.setattr(smtp_backend, "STEP_SECONDS", 0.3)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(4)
        settings.PORTAL_SMTP = plain(silent.getsockname()[1]) | {"security": security}
        with pytest.raises(
            smtp_backend.ServerAway, match=r"connecting to .*: (no answer within|it fell silent)"
        ):
            write()
