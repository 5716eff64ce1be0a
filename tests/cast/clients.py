"""Ask the interface as somebody."""

import json
from typing import Any

from django.test import Client

from apps.tenancy.models import MemberRole, Organization, TokenScope
from tests.cast import make


class Asking:
    """A client of one organization that knows where its things are."""

    def __init__(self, organization: Organization, client: Client) -> None:
        self.organization = organization
        self.client = client

    def get(self, path: str, **query: Any) -> Any:
        """Ask for something below the organization."""
        return self.client.get(f"/api/v1/o/{self.organization.slug}/{path}", query)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Send JSON below the organization."""
        return self.client.generic(
            method,
            f"/api/v1/o/{self.organization.slug}/{path}",
            json.dumps(body) if body is not None else "",
            content_type="application/json",
            headers=headers,
        )

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        """Post JSON below the organization."""
        return self.send("POST", path, body, **headers)


def member(organization: Organization, role: MemberRole = MemberRole.RESPONDER) -> Asking:
    """Ask as a person who signed in."""
    client = Client()
    client.force_login(
        make.user(organization=organization, role=role),
        backend="django.contrib.auth.backends.ModelBackend",
    )
    return Asking(organization, client)


def token(organization: Organization, *scopes: TokenScope) -> Asking:
    """Ask with a token of these scopes, all without any."""
    clear_text = make.token(organization=organization, scopes=scopes or TokenScope)
    return Asking(organization, Client(headers={"Authorization": f"Bearer {clear_text}"}))
