"""What strangers do at the sign-in page: bounded in the record, the same for whoever they try."""

from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.tenancy.models import AuditEntry, Organization, User
from apps.tenancy.scope import organization_scope
from apps.tenancy.sign_in import failures
from tests.cast import make


@pytest.fixture
def organization(db: None) -> Organization:
    """Where the person belongs."""
    cache.clear()
    return make.organization()


@pytest.fixture
def person(organization: Organization) -> User:
    """Whose password is guessed."""
    return make.user(organization=organization)


def attempt(name: str, password: str = "wrong", *, where: str = "192.0.2.1", **more: Any) -> Any:  # noqa: S107  no secret
    """Sign in from somewhere."""
    client = more.pop("client", None) or Client()
    form = {"username": name, "password": password}
    return client.post("/sign-in/", form, REMOTE_ADDR=where, **more)


def entries(organization: Organization) -> list[tuple[str, str]]:
    """Return what the record holds."""
    with organization_scope(organization.pk):
        own = AuditEntry.objects.for_organization(organization).order_by("sequence")
        return list(own.values_list("action", "subject"))


def test_a_thousand_failures_are_few_entries_that_say_how_many(
    person: User, organization: Organization
) -> None:
    for _ in range(70):
        attempt(person.username)

    found = entries(organization)
    assert found[0] == ("sign_in.failed", "")
    assert found[-1] == ("sign_in.locked", "times:64")
    assert len(found) <= 12


def test_guesses_from_many_places_are_bounded_in_the_record_too(
    person: User, organization: Organization
) -> None:
    for number in range(100):
        attempt(person.username, where=f"198.51.100.{number}")

    assert len(entries(organization)) <= failures.ENTRIES + 8


def test_the_addresses_of_one_ipv6_network_are_one_place(
    person: User, organization: Organization
) -> None:
    statuses = [
        attempt(person.username, where=f"2001:db8::{number:x}").status_code for number in range(7)
    ]

    assert statuses[-1] == 429
    assert attempt(person.username, make.PASSWORD, where="2001:db8:0:1::1").status_code == 302


@pytest.mark.parametrize("name", ["known", "nobody-has-it"])
def test_a_name_that_is_tried_from_everywhere_is_tried_slowly(
    organization: Organization, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(failures, "NAME_FAILURES", 5)
    make.user(organization=organization, name="known")
    statuses = [attempt(name, where=f"198.51.100.{n}").status_code for n in range(8)]

    assert statuses == [401] * 6 + [429] * 2


def test_its_owner_still_gets_in_where_it_was_signed_in_before(
    person: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failures, "NAME_FAILURES", 5)
    own = Client()
    assert attempt(person.username, make.PASSWORD, client=own).status_code == 302
    for number in range(8):
        attempt(person.username, where=f"198.51.100.{number}")

    assert attempt(person.username, make.PASSWORD, where="203.0.113.1").status_code == 429
    assert attempt(person.username, make.PASSWORD, client=own).status_code == 302


def test_another_persons_browser_helps_nobody(
    person: User, organization: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failures, "NAME_FAILURES", 5)
    other, browser = make.user(organization=organization), Client()
    attempt(other.username, make.PASSWORD, client=browser)
    for number in range(8):
        attempt(person.username, where=f"198.51.100.{number}")

    assert attempt(person.username, client=browser).status_code == 429


def test_known_and_unknown_names_cost_the_same_before_the_answer(person: User) -> None:
    asked = []
    for name in (person.username, "nobody-has-it"):
        client, found = Client(), []
        client.get("/sign-in/")
        with CaptureQueriesContext(connection) as queries:
            answer = attempt(name, client=client)
            found = [each["sql"].replace(name, "*") for each in queries.captured_queries]
        asked.append((answer.status_code, found[:1]))

    assert asked[0] == asked[1]


def test_who_is_not_signed_in_leaves_no_session(person: User) -> None:
    client = Client()
    for path in ("/", "/sign-in/", "/join/aurora.x/", "/o/aurora/", "/nothing/"):
        client.get(path)
    attempt(person.username, client=client)
    client.post("/sign-out/")
    client.post("/i18n/setlang/", {"language": "ko"})

    assert not Session.objects.exists()
