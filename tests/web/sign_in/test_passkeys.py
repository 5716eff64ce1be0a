"""Passkeys: added, used after the password or in its place, and what is no good of them."""

import html
import json
import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.test import Client

from apps.tenancy.models import AuditEntry, Organization, User
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.passkeys import Device

SITE = "https://portal.example"
OPTIONS = re.compile(r'data-options="([^"]+)"')
PAGE = "/account/second-factor/"


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


def _enter(person: User, **more: str) -> Client:
    client = Client()
    client.post("/sign-in/", {"username": person.username, "password": make.PASSWORD, **more})
    return client


def _confirmed(person: User) -> Client:
    client = _enter(person)
    client.post("/account/confirm/", {"password": make.PASSWORD, "next": PAGE})
    return client


def _options(client: Client, path: str) -> dict[str, Any]:
    (found,) = OPTIONS.findall(client.get(path).content.decode())
    options: dict[str, Any] = json.loads(html.unescape(found))["publicKey"]
    return options


def _add(client: Client, device: Device, *, is_alone: bool = False, name: str = "Key") -> Any:
    credential = device.make(_options(client, f"{PAGE}passkeys/add/"))
    given = {"credential": credential, "name": name} | ({"passwordless": "on"} if is_alone else {})
    return client.post(f"{PAGE}passkeys/add/", given)


def _with_passkey(person: User, device: Device, *, is_alone: bool = False) -> Client:
    client = _confirmed(person)
    assert _add(client, device, is_alone=is_alone).status_code == 302
    return client


def _after_password(person: User, device: Device) -> tuple[Client, Any]:
    client = _enter(person)
    signed = device.sign(_options(client, "/sign-in/second-factor/"))
    return client, client.post("/sign-in/second-factor/", {"credential": signed})


def _asked(client: Client) -> dict[str, Any]:
    answer = client.get("/sign-in/passkey/", headers={"accept": "application/json"})
    options: dict[str, Any] = answer.json()["request_options"]["publicKey"]
    return options


def _is_inside(client: Client, organization: Organization) -> bool:
    return client.get(f"/o/{organization.slug}/").status_code == 200


def _deeds(organization: Organization) -> list[str]:
    with organization_scope(organization.pk):
        own = AuditEntry.objects.for_organization(organization)
        return list(own.order_by("sequence").values_list("action", flat=True))


def test_a_passkey_is_asked_for_after_the_password(
    person: User, organization: Organization
) -> None:
    device = Device(origin=SITE)
    _with_passkey(person, device)
    client = _enter(person)
    assert not _is_inside(client, organization)

    client, _ = _after_password(person, device)
    assert _is_inside(client, organization)
    assert {"second_factor.added", "second_factor.used"} <= set(_deeds(organization))


def test_the_first_passkey_brings_recovery_codes(person: User, organization: Organization) -> None:
    client = _confirmed(person)
    answer = _add(client, Device(origin=SITE))
    assert answer["Location"] == f"{PAGE}recovery-codes/"
    page = client.get(answer["Location"]).content.decode()
    codes = re.findall(r"<li><code>(\d+)</code></li>", page)
    client = _enter(person)
    client.post("/sign-in/second-factor/", {"code": codes[0]})

    assert _is_inside(client, organization)


def test_a_passkey_signs_in_alone_where_its_owner_said_so(
    person: User, organization: Organization
) -> None:
    device = Device(origin=SITE)
    _with_passkey(person, device, is_alone=True)
    client = Client()
    signed = device.sign(_asked(client))
    answer = client.post("/sign-in/passkey/", {"credential": signed, "next": "/account/sessions/"})

    assert answer["Location"] == "/account/sessions/"
    assert _is_inside(client, organization)
    assert "sign_in.done" in _deeds(organization)


def test_alone_it_does_not_open_an_account_that_a_provider_opens(
    person: User, organization: Organization
) -> None:
    device = Device(origin=SITE)
    _with_passkey(person, device, is_alone=True)
    person.set_unusable_password()
    person.save(update_fields=["password"])
    client = Client()
    signed = device.sign(_asked(client))

    answer = client.post("/sign-in/passkey/", {"credential": signed})

    assert answer.status_code == 401
    assert not _is_inside(client, organization)


@pytest.mark.parametrize(
    ("is_alone", "is_verifying"), [(False, True), (True, False)], ids=["not meant", "not verified"]
)
def test_it_does_not_where_that_was_not_said_or_nobody_was_asked(
    person: User, organization: Organization, *, is_alone: bool, is_verifying: bool
) -> None:
    device = Device(origin=SITE)
    _with_passkey(person, device, is_alone=is_alone)
    device.is_verifying = is_verifying
    client = Client()
    answer = client.post("/sign-in/passkey/", {"credential": device.sign(_asked(client))})

    assert answer.status_code == 401
    assert 'role="alert"' in answer.content.decode()
    assert not _is_inside(client, organization)


@pytest.mark.parametrize(
    "origin",
    [
        "https://portal.example.evil.example",
        "https://evil.portal.example",  # below the same name: the library would take it
        "http://portal.example",
        "https://portal.example:8443",
    ],
)
def test_what_was_signed_for_another_origin_opens_nothing(
    person: User, organization: Organization, origin: str
) -> None:
    device = Device(origin=SITE)
    _with_passkey(person, device, is_alone=True)
    device.origin = origin
    client, _ = _after_password(person, device)
    alone = Client()
    alone.post("/sign-in/passkey/", {"credential": device.sign(_asked(alone))})

    assert not _is_inside(client, organization)
    assert not _is_inside(alone, organization)
    assert "second_factor.failed" in _deeds(organization)


def test_none_is_added_from_another_origin(person: User) -> None:
    answer = _add(_confirmed(person), Device(origin="https://evil.portal.example"))

    assert 'role="alert"' in answer.content.decode()
    assert not Authenticator.objects.filter(user=person).exists()


def test_a_challenge_counts_once_however_it_ended(person: User, organization: Organization) -> None:
    device = Device(origin=SITE)
    _with_passkey(person, device)
    client = _enter(person)
    options = _options(client, "/sign-in/second-factor/")
    elsewhere = Device(origin=SITE, id=device.id, key=device.key, user=device.user)
    elsewhere.origin = "https://evil.example"
    client.post("/sign-in/second-factor/", {"credential": elsewhere.sign(options)})
    client.post("/sign-in/second-factor/", {"credential": device.sign(options)})
    assert not _is_inside(client, organization)

    client, _ = _after_password(person, device)
    again = _enter(person)
    again.get("/sign-in/second-factor/")
    again.post("/sign-in/second-factor/", {"credential": device.sign(options)})
    assert _is_inside(client, organization)
    assert not _is_inside(again, organization)


def test_a_counter_that_goes_back_is_a_copy(person: User, organization: Organization) -> None:
    device = Device(origin=SITE, counter=7)
    _with_passkey(person, device)
    copy = Device(
        origin=SITE, id=device.id, key=device.key, user=device.user, counter=device.counter
    )
    for used in (device, device):
        assert _is_inside(_after_password(person, used)[0], organization)
    client, answer = _after_password(person, copy)

    assert not _is_inside(client, organization)
    assert "there may be a copy of it" in answer.content.decode()
    assert "second_factor.copied" in _deeds(organization)


def test_the_passkey_of_another_person_opens_nothing(
    person: User, organization: Organization
) -> None:
    device, others = Device(origin=SITE), Device(origin=SITE)
    _with_passkey(person, device, is_alone=True)
    other = make.user(organization=organization)
    _with_passkey(other, others, is_alone=True)

    assert not _is_inside(_after_password(person, others)[0], organization)
    others.user = device.user  # it says that it is the other one's
    client = Client()
    client.post("/sign-in/passkey/", {"credential": others.sign(_asked(client))})
    assert not _is_inside(client, organization)


def test_a_removed_passkey_opens_nothing(person: User, organization: Organization) -> None:
    device, other = Device(origin=SITE), Device(origin=SITE)
    client = _with_passkey(person, device, is_alone=True)
    _add(client, other, name="Other")
    (path,) = re.findall(
        rf'href="({PAGE}passkeys/\w+/remove/)" aria-label="Remove Key"',
        re.sub(r"\s+", " ", client.get(PAGE).content.decode()),
    )
    client.post(path)
    assert "second_factor.removed" in _deeds(organization)

    assert not _is_inside(_after_password(person, device)[0], organization)
    alone = Client()
    alone.post("/sign-in/passkey/", {"credential": device.sign(_asked(alone))})
    assert not _is_inside(alone, organization)
    assert _is_inside(_after_password(person, other)[0], organization)


def test_without_the_last_one_the_password_is_enough_and_no_codes_stay(
    person: User, organization: Organization
) -> None:
    client = _with_passkey(person, Device(origin=SITE))
    (path,) = re.findall(rf"{PAGE}passkeys/\w+/remove/", client.get(PAGE).content.decode())
    client.post(path)

    assert not Authenticator.objects.filter(user=person).exists()
    assert _is_inside(_enter(person), organization)


def test_a_passkey_gets_another_name(person: User) -> None:
    client = _with_passkey(person, Device(origin=SITE))
    (path,) = re.findall(rf"{PAGE}passkeys/\w+/rename/", client.get(PAGE).content.decode())
    client.post(path, {"name": "<Blue> key"})
    assert "&lt;Blue&gt; key" in client.get(PAGE).content.decode()

    refused = client.post(path, {"name": "x" * 61})
    assert 'role="alert"' in refused.content.decode()


def test_those_of_others_are_not_there(person: User, organization: Organization) -> None:
    mine = _with_passkey(person, Device(origin=SITE))
    (path,) = re.findall(rf"{PAGE}passkeys/\w+/remove/", mine.get(PAGE).content.decode())
    other = _confirmed(make.user(organization=organization))

    assert other.post(path).status_code == 404
    assert other.post(path.replace("remove", "rename"), {"name": "mine"}).status_code == 404
    assert Authenticator.objects.filter(user=person).exists()


def test_adding_and_removing_ask_for_the_password_again(person: User) -> None:
    client = _enter(person)

    assert client.get(f"{PAGE}passkeys/add/")["Location"].startswith("/account/confirm/")


def test_it_confirms_in_place_of_the_password(person: User) -> None:
    device = Device(origin=SITE)
    _with_passkey(person, device)
    client, _ = _after_password(person, device)
    wrong = client.post("/account/confirm/passkey/", {"credential": "{}"})
    assert 'role="alert"' in wrong.content.decode()
    signed = device.sign(_options(client, "/account/confirm/passkey/"))
    client.post("/account/confirm/passkey/", {"credential": signed, "next": PAGE})

    assert client.get(f"{PAGE}passkeys/add/").status_code == 200


@pytest.mark.parametrize(
    "sent",
    [
        *("", "x", "null", "[]", "7", '"text"', "{}", "[" * 9000, "x" * 30_000),
        '{"id": 1, "rawId": [], "response": {}, "type": "public-key"}',
        '{"id": "AA", "rawId": "AA", "response": {"clientDataJSON": "AA"}, "type": "public-key"}',
        (
            '{"id": "AA", "rawId": "AA", "type": "public-key", "response": {"clientDataJSON":'
            ' "e30", "authenticatorData": "AA", "signature": "AA", "userHandle": "gICA"}}'
        ),
    ],
)
def test_nonsense_is_refused_in_the_same_words(person: User, sent: str) -> None:
    _with_passkey(person, Device(origin=SITE))
    client, alone, adding = (
        _enter(person),
        Client(),
        _confirmed(make.user(organization=make.organization())),
    )
    client.get("/sign-in/second-factor/")
    _asked(alone)
    adding.get(f"{PAGE}passkeys/add/")
    answers = [
        client.post("/sign-in/second-factor/", {"credential": sent}),
        adding.post(f"{PAGE}passkeys/add/", {"credential": sent}),
        alone.post("/sign-in/passkey/", {"credential": sent}),
    ]

    assert [each.status_code for each in answers[:2]] == [422, 422]
    assert all("The passkey was not accepted." in each.content.decode() for each in answers[:2])
    assert answers[2].status_code == 401


def test_only_what_was_understood_of_it_is_kept(person: User) -> None:
    client, device = _confirmed(person), Device(origin=SITE)
    credential = json.loads(device.make(_options(client, f"{PAGE}passkeys/add/")))
    credential |= {"more": "\x00 of anybody"}
    client.post(f"{PAGE}passkeys/add/", {"credential": json.dumps(credential)})
    kept = Authenticator.objects.get(user=person, type=Authenticator.Type.WEBAUTHN)

    assert "more" not in kept.data["credential"]
    assert kept.wrap().name == "Passkey"


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
    page = _confirmed(person).get(f"{PAGE}passkeys/add/").content.decode()

    assert ("data-passkey=" in page) is is_offered
    assert ("data-passkey=" in Client().get("/sign-in/").content.decode()) is is_offered
    assert (address in page) is not is_offered
