"""Where a source is, what it asks for, and how that is sent."""

from base64 import b64encode
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

import requests

from apps.tenancy.outbound.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """What a source asks for: nothing, user and password, or a bearer token."""

    kind: str = "none"  # none basic bearer
    user: str = ""
    secret: str = ""

    def __repr__(self) -> str:
        """Return the kind only: a credential must not reach a log by accident."""
        return f"Credential({self.kind})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a source is and how it is spoken to."""

    name: str
    url: str
    policy: Policy
    credential: Credential = Credential()
    verify_tls: bool = True
    ca_pem: str = ""


def without_credentials(url: str) -> str:
    """Return a URL that may be shown: no user, password, query or fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def sign(session: requests.Session, credential: Credential) -> None:
    """Let every request of a session carry the credential."""
    if credential.kind == "bearer":
        session.headers["Authorization"] = f"Bearer {credential.secret}"
    elif credential.kind == "basic":
        # As UTF-8: requests would write Latin-1, which not every name and word fits into.
        pair = b64encode(f"{credential.user}:{credential.secret}".encode()).decode("ascii")
        session.headers["Authorization"] = f"Basic {pair}"
