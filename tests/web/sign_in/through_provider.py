"""A browser that goes to an organization's provider and comes back, and what became of it."""

import re
from html import unescape
from typing import Any

from django.test import Client

from apps.tenancy.models import AuditEntry, Membership, Organization, ProviderIdentity
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.identity_provider import ProviderServer

TARGET = re.compile(r'content="0; url=([^"]+)"')
ALICE = {"email": "alice@aurora.example", "email_verified": True, "name": "Alice", "groups": []}


def lead(client: Client, code: str, **form: str) -> str:
    """Ask to be led to the provider; return where to."""
    answer = client.post(f"/sign-in/with/{code}/", form)
    assert answer.status_code == 200
    (target,) = TARGET.findall(answer.content.decode())
    return unescape(target)


def confirm(client: Client) -> None:
    """Give the password again, as is asked for before an account is connected."""
    client.post("/account/confirm/", {"password": make.PASSWORD})


def come(client: Client, server: ProviderServer, code: str, **claims: Any) -> Any:
    """Go to the provider, sign in there, come back."""
    back = server.approve(lead(client, code), **{**ALICE, **claims})
    return client.get(back)


def role_here(organization: Organization, subject: str = "alice") -> str:
    """Return the role of whom a subject means; nothing for no member."""
    with organization_scope(organization.pk):
        identity = ProviderIdentity.objects.for_organization(organization).get(subject=subject)
        own = Membership.objects.for_organization(organization).filter(user=identity.user)
        return own.values_list("role", flat=True).first() or ""


def acts(organization: Organization) -> list[tuple[str, str]]:
    """Return what stands in the record."""
    with organization_scope(organization.pk):
        own = AuditEntry.objects.for_organization(organization).order_by("sequence")
        return list(own.values_list("action", "subject"))


def said(answer: Any) -> str:
    """Return what a page says."""
    return unescape(answer.content.decode())
