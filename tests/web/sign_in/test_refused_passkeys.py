"""Passkeys that open nothing: of other sites, copied, replayed, removed, of others, nonsense."""

import json
import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.test import Client

from apps.tenancy.models import Organization, User
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

pytestmark = pytest.mark.sweep


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


@pytest.mark.parametrize(
    ("is_alone", "is_verifying"), [(False, True), (True, False)], ids=["not meant", "not verified"]
)
def test_it_does_not_where_that_was_not_said_or_nobody_was_asked(
    person: User, organization: Organization, *, is_alone: bool, is_verifying: bool
) -> None:
    device = Device(origin=SITE)
    with_passkey(person, device, is_alone=is_alone)
    device.is_verifying = is_verifying
    client = Client()
    answer = client.post("/sign-in/passkey/", {"credential": device.sign(asked(client))})

    assert answer.status_code == 401
    assert 'role="alert"' in answer.content.decode()
    assert not is_inside(client, organization)


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
    with_passkey(person, device, is_alone=True)
    device.origin = origin
    client, _ = after_password(person, device)
    alone = Client()
    alone.post("/sign-in/passkey/", {"credential": device.sign(asked(alone))})

    assert not is_inside(client, organization)
    assert not is_inside(alone, organization)
    assert "second_factor.failed" in acts(organization)


def test_none_is_added_from_another_origin(person: User) -> None:
    answer = add(confirmed(person), Device(origin="https://evil.portal.example"))

    assert 'role="alert"' in answer.content.decode()
    assert not Authenticator.objects.filter(user=person).exists()


def test_a_challenge_counts_once_however_it_ended(person: User, organization: Organization) -> None:
    device = Device(origin=SITE)
    with_passkey(person, device)
    client = enter(person)
    shown = options(client, "/sign-in/second-factor/")
    elsewhere = Device(origin=SITE, id=device.id, key=device.key, user=device.user)
    elsewhere.origin = "https://evil.example"
    client.post("/sign-in/second-factor/", {"credential": elsewhere.sign(shown)})
    client.post("/sign-in/second-factor/", {"credential": device.sign(shown)})
    assert not is_inside(client, organization)

    client, _ = after_password(person, device)
    again = enter(person)
    again.get("/sign-in/second-factor/")
    again.post("/sign-in/second-factor/", {"credential": device.sign(shown)})
    assert is_inside(client, organization)
    assert not is_inside(again, organization)


def test_a_counter_that_goes_back_is_a_copy(person: User, organization: Organization) -> None:
    device = Device(origin=SITE, counter=7)
    with_passkey(person, device)
    copy = Device(
        origin=SITE, id=device.id, key=device.key, user=device.user, counter=device.counter
    )
    for used in (device, device):
        assert is_inside(after_password(person, used)[0], organization)
    client, answer = after_password(person, copy)

    assert not is_inside(client, organization)
    assert "there may be a copy of it" in answer.content.decode()
    assert "second_factor.copied" in acts(organization)


def test_the_passkey_of_another_person_opens_nothing(
    person: User, organization: Organization
) -> None:
    device, others = Device(origin=SITE), Device(origin=SITE)
    with_passkey(person, device, is_alone=True)
    other = make.user(organization=organization)
    with_passkey(other, others, is_alone=True)

    assert not is_inside(after_password(person, others)[0], organization)
    others.user = device.user  # it says that it is the other one's
    client = Client()
    client.post("/sign-in/passkey/", {"credential": others.sign(asked(client))})
    assert not is_inside(client, organization)


def test_a_removed_passkey_opens_nothing(person: User, organization: Organization) -> None:
    device, other = Device(origin=SITE), Device(origin=SITE)
    client = with_passkey(person, device, is_alone=True)
    add(client, other, name="Other")
    (path,) = re.findall(
        rf'href="({PAGE}passkeys/\w+/remove/)" aria-label="Remove Key"',
        re.sub(r"\s+", " ", client.get(PAGE).content.decode()),
    )
    client.post(path)
    assert "second_factor.removed" in acts(organization)

    assert not is_inside(after_password(person, device)[0], organization)
    alone = Client()
    alone.post("/sign-in/passkey/", {"credential": device.sign(asked(alone))})
    assert not is_inside(alone, organization)
    assert is_inside(after_password(person, other)[0], organization)


def test_those_of_others_are_not_there(person: User, organization: Organization) -> None:
    mine = with_passkey(person, Device(origin=SITE))
    (path,) = re.findall(rf"{PAGE}passkeys/\w+/remove/", mine.get(PAGE).content.decode())
    other = confirmed(make.user(organization=organization))

    assert other.post(path).status_code == 404
    assert other.post(path.replace("remove", "rename"), {"name": "mine"}).status_code == 404
    assert Authenticator.objects.filter(user=person).exists()


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
    with_passkey(person, Device(origin=SITE))
    client, alone, adding = (
        enter(person),
        Client(),
        confirmed(make.user(organization=make.organization())),
    )
    client.get("/sign-in/second-factor/")
    asked(alone)
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
    client, device = confirmed(person), Device(origin=SITE)
    credential = json.loads(device.make(options(client, f"{PAGE}passkeys/add/")))
    credential |= {"more": "\x00 of anybody"}
    client.post(f"{PAGE}passkeys/add/", {"credential": json.dumps(credential)})
    kept = Authenticator.objects.get(user=person, type=Authenticator.Type.WEBAUTHN)

    assert "more" not in kept.data["credential"]
    assert kept.wrap().name == "Passkey"


def test_alone_it_does_not_open_an_account_that_a_provider_opens(
    person: User, organization: Organization
) -> None:
    device = Device(origin=SITE)
    with_passkey(person, device, is_alone=True)
    person.set_unusable_password()
    person.save(update_fields=["password"])
    client = Client()
    answer = client.post("/sign-in/passkey/", {"credential": device.sign(asked(client))})

    assert answer.status_code == 401
    assert not is_inside(client, organization)
