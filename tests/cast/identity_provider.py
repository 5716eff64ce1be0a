"""An OpenID Connect provider in this process that can be told to misbehave."""

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from apps.tenancy.models import IdentityProvider, MailDomain, Organization
from apps.tenancy.scope import organization_scope
from apps.tenancy.single_sign_on.provider_lookup import code_of
from apps.tenancy.single_sign_on.provider_settings import WantedProvider, checked, set_provider
from tests.cast import make

CLIENT, SECRET = "faultline", "a-secret-of-the-tests"
Bend = Callable[[dict[str, Any]], Any]


def new_key() -> rsa.RSAPrivateKey:
    """Make a key to sign with."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _same(told: dict[str, Any]) -> dict[str, Any]:
    return told


def _number(value: int) -> str:
    octets = value.to_bytes((value.bit_length() + 7) // 8)
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


class ProviderServer(ThreadingHTTPServer):
    """A provider. `bends` changes what an address answers, `asked` says who asked what."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.key = new_key()
        self.claims: dict[str, Any] = {}
        self.userinfo: dict[str, Any] = {}
        self.bends: dict[str, Bend] = {}
        self.asked: list[tuple[str, dict[str, str], str]] = []
        self.pending: dict[str, dict[str, str]] = {}
        self.hold = Event()

    @property
    def issuer(self) -> str:
        """Who it is."""
        return f"http://127.0.0.1:{self.server_port}"

    def published(self) -> dict[str, Any]:
        """Return what it says of itself."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        }

    def keys(self) -> dict[str, Any]:
        """Return the public half of its key."""
        numbers = self.key.public_key().public_numbers()
        public = {"kty": "RSA", "n": _number(numbers.n), "e": _number(numbers.e)}
        return {"keys": [{**public, "kid": "k1", "use": "sig", "alg": "RS256"}]}

    def approve(self, target: str, **claims: Any) -> str:
        """Sign somebody in who was led here; return the path of the way back."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
        code = secrets.token_hex(8)
        self.pending[code] = asked
        self.claims = claims
        query = urlencode({"code": code, "state": asked["state"]})
        return f"{urlsplit(asked['redirect_uri']).path}?{query}"

    def token(self, form: Mapping[str, str]) -> dict[str, Any]:
        """Exchange a code, once, for who holds the verifier."""
        asked = self.pending.pop(form["code"])
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        assert asked["code_challenge"] == base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
            "sub": "alice",
            **self.claims,
        }
        bend: Bend = self.bends.get("claims", _same)
        claims = bend(claims)
        if "id_token" in self.bends:
            return {"access_token": "at", "id_token": self.bends["id_token"](claims)}
        signed = jwt.encode(claims, self.key, algorithm="RS256", headers={"kid": "k1"})
        return {"access_token": "at", "token_type": "Bearer", "id_token": signed}


class Handler(BaseHTTPRequestHandler):
    """Answers by path."""

    server: ProviderServer

    def do_GET(self) -> None:
        """Answer what is looked at."""
        self._answer({})

    def do_POST(self) -> None:
        """Answer a form."""
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._answer({name: values[0] for name, values in parse_qs(body).items()})

    def _answer(self, form: dict[str, str]) -> None:
        path = urlsplit(self.path).path
        self.server.asked.append((path, form, self.headers.get("Authorization", "")))
        known: dict[str, Callable[[], dict[str, Any]]] = {
            "/.well-known/openid-configuration": self.server.published,
            "/keys": self.server.keys,
            "/token": lambda: self.server.token(form),
            "/userinfo": lambda: {"sub": "alice", **self.server.userinfo},
        }
        if path in self.server.bends:
            told = self.server.bends[path](known[path]())
        elif path in known:
            told = known[path]()
        else:
            told = 404
        self._say(told)

    def _say(self, told: Any) -> None:
        if callable(told):
            told(self)
            return
        is_status = isinstance(told, int)
        body = told if isinstance(told, bytes) else json.dumps(told).encode()
        self.send_response(told if is_status else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Stay quiet."""


def serving() -> Iterator[ProviderServer]:
    """Run a provider for as long as a fixture lasts."""
    made = ProviderServer()
    Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield made
    made.hold.set()
    made.shutdown()
    made.server_close()


def provider(*, organization: Organization, issuer: str, **wanted: Any) -> str:
    """Set a provider up, with one confirmed domain; return the code of its link."""
    values = {
        "client_id": CLIENT,
        "secret": SECRET,
        "role_by_group": {"gpu-oncall": "responder", "gpu-admins": "admin"},
        "networks": ["127.0.0.0/8"],
        **wanted,
    }
    wish = WantedProvider(issuer=issuer, **values)
    with organization_scope(organization.pk):
        set_provider(
            organization=organization, values=checked(wanted=wish, former=None), now=make.AT
        )
        row = IdentityProvider.objects.for_organization(organization).get()
        MailDomain.objects.create(
            organization=organization,
            domain="aurora.example",
            asked_at=make.AT,
            confirmed_at=make.AT,
        )
    return code_of(organization=organization, public_id=row.public_id)
