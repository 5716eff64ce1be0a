"""Steps of people who sign in with passkeys, in software."""

import html
import json
import re
from typing import Any

from django.test import Client

from apps.tenancy.models import AuditEntry, Organization, User
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.passkeys import Device

SITE = "https://portal.example"
OPTIONS = re.compile(r'data-options="([^"]+)"')
PAGE = "/account/second-factor/"


def enter(person: User, **more: str) -> Client:
    """Give name and password."""
    client = Client()
    client.post("/sign-in/", {"username": person.username, "password": make.PASSWORD, **more})
    return client


def confirmed(person: User) -> Client:
    """Give the password once more, so that factors may change."""
    client = enter(person)
    client.post("/account/confirm/", {"password": make.PASSWORD, "next": PAGE})
    return client


def options(client: Client, path: str) -> dict[str, Any]:
    """Return what a page asks a passkey for."""
    (found,) = OPTIONS.findall(client.get(path).content.decode())
    asked_for: dict[str, Any] = json.loads(html.unescape(found))["publicKey"]
    return asked_for


def add(client: Client, device: Device, *, is_alone: bool = False, name: str = "Key") -> Any:
    """Add a passkey."""
    credential = device.make(options(client, f"{PAGE}passkeys/add/"))
    given = {"credential": credential, "name": name} | ({"passwordless": "on"} if is_alone else {})
    return client.post(f"{PAGE}passkeys/add/", given)


def with_passkey(person: User, device: Device, *, is_alone: bool = False) -> Client:
    """Let a person have one; return the browser in which it was added."""
    client = confirmed(person)
    assert add(client, device, is_alone=is_alone).status_code == 302
    return client


def after_password(person: User, device: Device) -> tuple[Client, Any]:
    """Give the password, then the passkey."""
    client = enter(person)
    signed = device.sign(options(client, "/sign-in/second-factor/"))
    return client, client.post("/sign-in/second-factor/", {"credential": signed})


def asked(client: Client) -> dict[str, Any]:
    """Return what the door asks a passkey for."""
    answer = client.get("/sign-in/passkey/", headers={"accept": "application/json"})
    asked_for: dict[str, Any] = answer.json()["request_options"]["publicKey"]
    return asked_for


def is_inside(client: Client, organization: Organization) -> bool:
    """Say whether a browser is signed in."""
    return client.get(f"/o/{organization.slug}/").status_code == 200


def acts(organization: Organization) -> list[str]:
    """Return what the organization's record has, in order."""
    with organization_scope(organization.pk):
        own = AuditEntry.objects.for_organization(organization)
        return list(own.order_by("sequence").values_list("action", flat=True))
