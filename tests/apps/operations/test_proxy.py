"""The portal behind a real nginx and a real Caddy, set up as docker/proxy shows."""

import json
import os
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.message import Message
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from pathlib import Path
from threading import Event
from urllib.parse import urlencode

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings

from apps.operations.management.commands.up import free_port
from apps.operations.servers import programs
from tests.cast import make
from tests.prepared import prepare
from tests.running import environment, inside, portal, read_until

pytestmark = pytest.mark.sweep
EXAMPLES = Path(settings.BASE_DIR) / "docker" / "proxy"
NAME = "portal.example"
# Makes what the tests ask for, in the portal's own database.
PREPARE = """
import json
from apps.tenancy.models import MemberRole
from tests.cast import make
aurora = make.organization("aurora")
make.user(organization=aurora, role=MemberRole.ADMIN, name="ada")
print(json.dumps(make.token(organization=aurora)))
"""
TOLD = """
import json
from apps.tenancy.models import AuditEntry, Organization
from apps.tenancy.scope import organization_scope
with organization_scope(*Organization.objects.values_list("id", flat=True)):
    rows = AuditEntry.objects.order_by("id").values_list("action", "remote_address")
    print(json.dumps(list(rows)))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back, whole."""

    status: int
    headers: Message
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxied:
    """A portal and the two ports of the proxy in front of it."""

    variables: dict[str, str]
    token: str
    plain: int
    secure: int

    def ask(
        self,
        method: str,
        path: str,
        *,
        body: bytes | str = b"",
        sender: str = "127.0.0.1",
        **headers: str,
    ) -> Answer:
        """Ask over TLS, from an address of this machine's."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        plain = socket.create_connection(("127.0.0.1", self.secure), 30, (sender, 0))
        connection = HTTPConnection(NAME)
        connection.sock = context.wrap_socket(plain, server_hostname=NAME)
        with closing(connection):
            connection.request(method, path, body, headers)
            return read(connection)

    def raw(self, *parts: bytes) -> bytes:
        """Send parts over TLS until an answer comes; return how it begins."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        plain = socket.create_connection(("127.0.0.1", self.secure), 30)
        with closing(context.wrap_socket(plain, server_hostname=NAME)) as secure:
            with suppress(OSError):
                for part in parts:
                    secure.sendall(part)
            return secure.recv(4096)


def read(connection: HTTPConnection) -> Answer:
    """Return the answer that comes next."""
    with connection.getresponse() as answer:
        return Answer(status=answer.status, headers=answer.headers, body=answer.read())


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, str], str]]:
    """Return the variables of a portal that believes a proxy in front, and a token for it."""
    var = prepare(tmp_path_factory.mktemp("behind") / "var")
    variables = environment(
        var,
        {
            "PORTAL_BASE_URL": f"https://{NAME}",
            "PORTAL_BIND": f"127.0.0.1:{free_port()}",
            "PORTAL_TRUST_PROXY": "1",
        },
    )
    with portal(var, variables) as running:
        said = read_until(running, "Faultline is up")
        assert f"Faultline is up: https://{NAME}" in said
        yield variables, inside(PREPARE, variables=variables)


@pytest.fixture(params=["nginx", "caddy"])
def proxied(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Proxied]:
    """Return the portal behind each proxy that is installed."""
    path = shutil.which(request.param, path=f"{os.environ['PATH']}:/usr/sbin")
    if path is None:
        pytest.skip(f"no {request.param} here (Debian: apt-get install {request.param})")
    # Asked for here: no portal is started for a proxy that is not installed.
    variables, token = request.getfixturevalue("behind")
    made = Proxied(variables=variables, token=token, plain=free_port(), secure=free_port())
    make_certificate(tmp_path)
    command = {"nginx": nginx, "caddy": caddy}[request.param](path, tmp_path, made)
    home = os.environ | {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    with (tmp_path / "said").open("w+") as output:
        running = subprocess.Popen(command, stdout=output, stderr=output, env=home)  # noqa: S603  written above
        try:
            wait_for(made.secure)
            yield made
        finally:
            running.terminate()
            running.wait(10)


def nginx(path: str, folder: Path, made: Proxied) -> list[str]:
    """Write the example with the ports and files of a test; return how to start it."""
    example = (EXAMPLES / "nginx.conf").read_text(encoding="utf-8")
    for there, here in {
        "    listen [::]:80;\n": "",
        "    listen [::]:443 ssl http2;\n": "",
        "listen 80;": f"listen 127.0.0.1:{made.plain};",
        "listen 443 ": f"listen 127.0.0.1:{made.secure} ",
        "/etc/nginx/portal": str(folder / "portal"),
        "server 127.0.0.1:8000": f"server {made.variables['PORTAL_BIND']}",
    }.items():
        assert there in example
        example = example.replace(there, here)
    user = "user root;\n" if os.geteuid() == 0 else ""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    kept = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    (folder / "nginx.conf").write_text(
        f"{user}daemon off;\npid {folder}/pid;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{kept}{example}}}\n"
    )
    return [path, "-e", "stderr", "-c", str(folder / "nginx.conf")]


def caddy(path: str, folder: Path, made: Proxied) -> list[str]:
    """Write the example with the ports and files of a test; return how to start it."""
    example = (EXAMPLES / "Caddyfile").read_text(encoding="utf-8")
    site = f"{NAME} {{\n"
    certificate = f"{site}\tbind 127.0.0.1\n\ttls {folder}/portal.pem {folder}/portal.key\n"
    for there, here in {
        site: certificate,
        "127.0.0.1:8000 {": f"{made.variables['PORTAL_BIND']} {{",
    }.items():
        assert there in example
        example = example.replace(there, here)
    options = f"admin off\n\thttp_port {made.plain}\n\thttps_port {made.secure}\n"
    (folder / "Caddyfile").write_text(
        example.replace("{\n\tservers", f"{{\n\t{options}\tservers", 1)
    )
    return [path, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


def make_certificate(folder: Path) -> None:
    """Make what an installation gets from its authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, NAME)])
    now = datetime.now(UTC)  # noqa: TID251  a proxy looks at the real clock
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    text = serialization.Encoding.PEM
    (folder / "portal.pem").write_bytes(made.public_bytes(text))
    (folder / "portal.key").write_bytes(
        key.private_bytes(text, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def wait_for(port: int) -> None:
    """Return once somebody listens."""
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        Event().wait(0.1)
    raise TimeoutError(port)


def cookies_of(answer: Answer) -> SimpleCookie:
    """Return what the browser is told to keep."""
    return SimpleCookie("\n".join(answer.headers.get_all("Set-Cookie") or []))


def sign_in(proxied: Proxied, *, password: str, **headers: str) -> Answer:
    """Sign in as a browser does."""
    kept = cookies_of(proxied.ask("GET", "/sign-in/"))["csrftoken"].value
    form = {"username": "ada", "password": password, "csrfmiddlewaretoken": kept}
    return proxied.ask(
        "POST",
        "/sign-in/",
        body=urlencode(form),
        Cookie=f"csrftoken={kept}",
        Origin=f"https://{NAME}",
        **{"Content-Type": "application/x-www-form-urlencoded"},
        **headers,
    )


def test_what_came_in_clear_is_sent_to_tls(proxied: Proxied) -> None:
    with closing(HTTPConnection("127.0.0.1", proxied.plain, timeout=10)) as connection:
        connection.request("GET", "/o/aurora/", headers={"Host": NAME})
        answer = read(connection)

    assert answer.status in {301, 308}
    assert answer.headers["Location"].startswith(f"https://{NAME}")
    assert answer.headers["Location"].endswith("/o/aurora/")


def test_a_browser_is_told_to_come_by_tls_only_and_its_cookies_stay_there(proxied: Proxied) -> None:
    answer = sign_in(proxied, password=make.PASSWORD)

    session = cookies_of(answer)["portal_session"]
    assert answer.status == 302
    assert session["secure"]
    assert session["httponly"]
    assert cookies_of(proxied.ask("GET", "/sign-in/"))["csrftoken"]["secure"]
    assert answer.headers["Strict-Transport-Security"].startswith("max-age=31536000")
    assert "'unsafe" not in answer.headers["Content-Security-Policy"]
    home = proxied.ask("GET", "/o/aurora/", Cookie=f"portal_session={session.value}")
    assert home.status == 200


def test_the_record_names_who_asked_and_not_what_they_say_of_themselves(proxied: Proxied) -> None:
    forged = {"X-Forwarded-For": "203.0.113.9"}
    sign_in(proxied, password="wrong", sender="127.0.0.7", **forged)  # noqa: S106  refused

    record = inside(TOLD, variables=proxied.variables)

    assert ["sign_in.failed", "127.0.0.7"] in record
    assert "203.0.113.9" not in json.dumps(record)


def test_another_name_is_not_served(proxied: Proxied) -> None:
    answer = proxied.ask("GET", "/sign-in/", Host="evil.example")

    assert b"evil.example" not in answer.body
    assert answer.status == 400 or not answer.headers.get("Set-Cookie")


def test_what_watches_the_portal_is_not_for_everybody(proxied: Proxied) -> None:
    assert proxied.ask("GET", "/metrics").status == 404
    assert proxied.ask("GET", "/readyz").status == 404
    assert proxied.ask("GET", "/healthz").status == 200


def test_a_large_push_comes_through(proxied: Proxied) -> None:
    line = b"2026-11-21T02:14:00Z iteration 7 loss 1.5 " + b"x" * 950 + b"\n"
    headers = {"Authorization": f"Bearer {proxied.token}", "Content-Type": "text/plain"}

    taken = proxied.ask(
        "POST", f"/api/v1/logs?session=s{proxied.plain}", body=line * 20_000, **headers
    )

    assert taken.status == 200, taken.body
    assert json.loads(taken.body)["accepted"] == 20_000


def test_a_body_without_a_credential_is_refused_before_it_is_sent(proxied: Proxied) -> None:
    head = (
        f"POST /api/v1/logs HTTP/1.1\r\nHost: {NAME}\r\n"
        f"Content-Length: {60 * 2**20}\r\nContent-Type: text/plain\r\n\r\n"
    )
    answer = proxied.raw(head.encode() + b"x" * 65_536)

    assert answer.startswith(b"HTTP/1.1 401")


@pytest.mark.parametrize("framing", ["Content-Length: 99999999999", "Transfer-Encoding: chunked"])
def test_a_form_without_end_is_refused(proxied: Proxied, framing: str) -> None:
    head = f"POST /sign-in/ HTTP/1.1\r\nHost: {NAME}\r\n{framing}\r\n\r\n"
    chunk = b"80000\r\n" + b"x" * 2**19 + b"\r\n"
    answer = proxied.raw(head.encode(), *([chunk] * 200))

    assert answer.startswith(b"HTTP/1.1 413")


def test_an_address_is_bound_with_or_without_a_port(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {}
    for bind in ("127.0.0.1", "10.0.0.7:8100", "[::1]:8100", "::1"):
        monkeypatch.setenv("PORTAL_BIND", bind)
        found[bind] = programs.bound_address("https://portal.example:8443")

    assert found == {
        "127.0.0.1": ("127.0.0.1", 8000),
        "10.0.0.7:8100": ("10.0.0.7", 8100),
        "[::1]:8100": ("::1", 8100),
        "::1": ("::1", 8000),
    }
