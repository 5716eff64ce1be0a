"""Pages of signing in out of turn, too often, or by nobody: answered in the portal's words."""

import pytest
from django.core.cache import cache
from django.test import Client

from apps.tenancy.models import User
from apps.web.sign_in.urls import urlpatterns
from tests.cast import make

PATHS = [f"/{each.pattern}".replace("<str:passkey>", "0123") for each in urlpatterns]
# What allauth says where nobody says it otherwise.
FOREIGN = ("Incorrect code", "Incorrect password", "Be patient", "429 Too Many")


@pytest.fixture
def person(db: None) -> User:
    """Who signs in."""
    cache.clear()
    return make.user(organization=make.organization())


def _entered(person: User) -> Client:
    client = Client()
    client.post("/sign-in/", {"username": person.username, "password": make.PASSWORD})
    return client


@pytest.mark.parametrize("path", PATHS)
def test_nobody_is_led_to_the_door(path: str, person: User) -> None:
    for answer in (Client().get(path), Client().post(path)):
        assert answer.status_code in {200, 302, 401, 405}
        assert answer.status_code != 302 or answer["Location"].startswith("/sign-in/")


@pytest.mark.parametrize("path", PATHS)
def test_who_is_in_is_answered_out_of_turn(path: str, person: User) -> None:
    client = _entered(person)
    for confirmed in (False, True):
        if confirmed:
            client.post("/account/confirm/", {"password": make.PASSWORD})
        for answer in (client.get(path), client.post(path)):
            assert answer.status_code in {200, 302, 401, 404, 405, 422}


def test_trying_too_often_is_said_in_a_page_of_the_portal(person: User) -> None:
    client = _entered(person)
    answers = [client.post("/account/confirm/", {"password": "wrong"}) for _ in range(12)]
    last = answers[-1]

    assert answers[0].status_code == 422
    assert "This is not your password." in answers[0].content.decode()
    assert last.status_code == 429
    assert last["Retry-After"] == "60"
    assert "Wait a minute" in last.content.decode()
    assert not any(words in each.content.decode() for each in answers for words in FOREIGN)


def test_a_browser_that_asks_for_passkeys_without_end_is_slowed(person: User) -> None:
    client = Client(headers={"accept": "application/json"})
    codes = [client.get("/sign-in/passkey/").status_code for _ in range(32)]

    assert codes[0] == 200
    assert codes[-1] == 429
