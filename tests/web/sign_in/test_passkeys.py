"""Passkeys: added, named, removed, used after the password or in its place."""

import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.test import Client

from apps.tenancy.models import MemberRole, Organization, User
from tests.cast import make
from tests.cast.passkeys import Device
from tests.web.sign_in.passkey_steps import (
    PAGE,
    SITE,
    acts,
    add,
    after_password,
    asked,
    confirmed,
    enter,
    is_inside,
    options,
    with_passkey,
)


@pytest.fixture(autouse=True)
def at_its_address(settings: Any) -> None:
    """Passkeys are bound to the portal's own address."""
    settings.PORTAL_BASE_URL = SITE
    cache.clear()


@pytest.fixture
def organization(db: None) -> Organization:
    """Where the people belong."""
    return make.organization()


@pytest.fixture
def person(organization: Organization) -> User:
    """Who signs in."""
    return make.user(organization=organization)


def test_a_passkey_is_asked_for_after_the_password(
    person: User, organization: Organization
) -> None:
    device = Device(origin=SITE)
    with_passkey(person, device)
    client = enter(person)
    assert not is_inside(client, organization)

    client, _ = after_password(person, device)
    assert is_inside(client, organization)
    assert {"second_factor.added", "second_factor.used"} <= set(acts(organization))


def test_the_first_passkey_brings_recovery_codes(person: User, organization: Organization) -> None:
    client = confirmed(person)
    answer = add(client, Device(origin=SITE))
    assert answer["Location"] == f"{PAGE}recovery-codes/"
    page = client.get(answer["Location"]).content.decode()
    codes = re.findall(r"<li><code>(\d+)</code></li>", page)
    client = enter(person)
    client.post("/sign-in/second-factor/", {"code": codes[0]})

    assert is_inside(client, organization)


def test_a_passkey_signs_in_alone_where_its_owner_said_so(
    person: User, organization: Organization
) -> None:
    device = Device(origin=SITE)
    with_passkey(person, device, is_alone=True)
    client = Client()
    signed = device.sign(asked(client))
    answer = client.post("/sign-in/passkey/", {"credential": signed, "next": "/account/sessions/"})

    assert answer["Location"] == "/account/sessions/"
    assert is_inside(client, organization)
    assert "sign_in.done" in acts(organization)


def test_without_the_last_one_the_password_is_enough_and_no_codes_stay(
    person: User, organization: Organization
) -> None:
    client = with_passkey(person, Device(origin=SITE))
    (path,) = re.findall(rf"{PAGE}passkeys/\w+/remove/", client.get(PAGE).content.decode())
    client.post(path)

    assert not Authenticator.objects.filter(user=person).exists()
    assert is_inside(enter(person), organization)


def test_the_last_passkey_stays_while_an_organization_requires_one(
    person: User, organization: Organization
) -> None:
    client = with_passkey(person, Device(origin=SITE))
    Organization.objects.filter(pk=organization.pk).update(requires_second_factor=True)
    (path,) = re.findall(rf"{PAGE}passkeys/\w+/remove/", client.get(PAGE).content.decode())
    refused = client.post(path)
    assert refused.status_code == 422
    assert "Add another one, then remove this." in refused.content.decode()

    add(client, Device(origin=SITE), name="Other")
    assert client.post(path).status_code == 302
    kept = Authenticator.objects.get(user=person, type=Authenticator.Type.WEBAUTHN)
    assert kept.wrap().name == "Other"


def test_signing_in_alone_is_offered_to_who_has_a_password(person: User) -> None:
    client = confirmed(person)
    assert 'name="passwordless"' in client.get(f"{PAGE}passkeys/add/").content.decode()
    person.set_unusable_password()
    person.save(update_fields=["password"])
    client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")

    assert 'name="passwordless"' not in client.get(f"{PAGE}passkeys/add/").content.decode()


def test_the_record_calls_factors_by_their_names(person: User, organization: Organization) -> None:
    with_passkey(person, Device(origin=SITE))
    admin = enter(make.user(organization=organization, role=MemberRole.ADMIN))
    page = admin.get(f"/o/{organization.slug}/settings/audit/").content.decode()

    assert "Passkey" in page
    assert "webauthn" not in page


def test_a_passkey_gets_another_name(person: User) -> None:
    client = with_passkey(person, Device(origin=SITE))
    (path,) = re.findall(rf"{PAGE}passkeys/\w+/rename/", client.get(PAGE).content.decode())
    client.post(path, {"name": "<Blue> key"})
    assert "&lt;Blue&gt; key" in client.get(PAGE).content.decode()

    refused = client.post(path, {"name": "x" * 61})
    assert 'role="alert"' in refused.content.decode()


def test_adding_and_removing_ask_for_the_password_again(person: User) -> None:
    client = enter(person)

    assert client.get(f"{PAGE}passkeys/add/")["Location"].startswith("/account/confirm/")


def test_it_confirms_in_place_of_the_password(person: User) -> None:
    device = Device(origin=SITE)
    with_passkey(person, device)
    client, _ = after_password(person, device)
    wrong = client.post("/account/confirm/passkey/", {"credential": "{}"})
    assert 'role="alert"' in wrong.content.decode()
    signed = device.sign(options(client, "/account/confirm/passkey/"))
    client.post("/account/confirm/passkey/", {"credential": signed, "next": PAGE})

    assert client.get(f"{PAGE}passkeys/add/").status_code == 200


@pytest.mark.parametrize(
    ("address", "is_offered"),
    [
        (SITE, True),
        ("http://localhost:8000", True),
        ("http://127.0.0.1:8000", False),
        ("https://[::1]", False),
        ("http://portal.example", False),
    ],
)
def test_they_are_offered_where_browsers_have_them(
    person: User, settings: Any, address: str, *, is_offered: bool
) -> None:
    settings.PORTAL_BASE_URL = address
    page = confirmed(person).get(f"{PAGE}passkeys/add/").content.decode()

    assert ("data-passkey=" in page) is is_offered
    assert ("data-passkey=" in Client().get("/sign-in/").content.decode()) is is_offered
    assert (address in page) is not is_offered
