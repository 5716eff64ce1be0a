"""Signing in with a password: throttled, silent about what was wrong, in a new session."""

from typing import Any

import pytest
from django.test import Client

from apps.tenancy.models import AuditEntry, Organization, User
from apps.tenancy.people.account import NAME_LIMIT, PASSWORD_LIMIT
from apps.tenancy.scope import organization_scope
from tests.cast import make


@pytest.fixture
def organization(db: None) -> Organization:
    """Where the person belongs."""
    return make.organization()


@pytest.fixture
def person(organization: Organization) -> User:
    """Who signs in."""
    return make.user(organization=organization)


def _try(client: Client, username: str, password: str, **more: str) -> Any:
    return client.post("/sign-in/", {"username": username, "password": password, **more})


def _deeds(organization: Organization) -> list[str]:
    with organization_scope(organization.pk):
        own = AuditEntry.objects.for_organization(organization)
        return list(own.order_by("sequence").values_list("action", flat=True))


def test_a_right_password_opens_a_new_session(person: User, organization: Organization) -> None:
    client = Client()
    client.cookies["portal_session"] = "chosen-by-somebody-else"
    answer = _try(client, person.username, make.PASSWORD)

    assert answer.status_code == 302
    assert client.cookies["portal_session"].value != "chosen-by-somebody-else"
    assert client.get(f"/api/v1/o/{organization.slug}/clusters/").status_code == 200
    assert _deeds(organization) == ["sign_in.done"]


def test_a_wrong_password_and_an_unknown_name_look_the_same(person: User) -> None:
    wrong = _try(Client(), person.username, "wrong")
    unknown = _try(Client(), "x" * len(person.username), "wrong")

    def words(answer: Any, name: str) -> str:
        text: str = answer.content.decode().replace(name, "*")
        token: str = answer.wsgi_request.META.get("CSRF_COOKIE", "")
        return "\n".join(
            line for line in text.splitlines() if "csrf" not in line.lower() or not token
        )

    assert wrong.status_code == unknown.status_code == 401
    assert words(wrong, person.username) == words(unknown, "x" * len(person.username))


def test_too_many_failures_lock_this_name_at_this_address(
    person: User, organization: Organization
) -> None:
    statuses = [_try(Client(), person.username, "wrong").status_code for _ in range(6)]

    assert statuses[0] == 401
    assert statuses[-1] == 429
    assert _try(Client(), person.username, make.PASSWORD).status_code == 429
    assert _deeds(organization)[-1] == "sign_in.locked"


def test_a_colleague_at_the_same_address_is_not_locked(
    person: User, organization: Organization
) -> None:
    for _ in range(6):
        _try(Client(), person.username, "wrong")
    colleague = make.user(organization=organization)

    assert _try(Client(), colleague.username, make.PASSWORD).status_code == 302


def test_signing_out_ends_the_session_for_a_kept_cookie(
    person: User, organization: Organization
) -> None:
    client, thief = Client(), Client()
    _try(client, person.username, make.PASSWORD)
    thief.cookies["portal_session"] = client.cookies["portal_session"].value
    client.post("/sign-out/")

    assert thief.get(f"/api/v1/o/{organization.slug}/clusters/").status_code == 404
    assert _deeds(organization) == ["sign_in.done", "sign_out"]


@pytest.mark.parametrize(
    "wanted", ["https://evil.example/", "//evil.example", "javascript:alert(1)"]
)
def test_one_is_led_nowhere_else_after_signing_in(person: User, wanted: str) -> None:
    answer = _try(Client(), person.username, make.PASSWORD, next=wanted)

    assert answer["Location"] == "/"


def test_a_person_who_left_signs_in_to_nothing(person: User) -> None:
    User.objects.filter(pk=person.pk).update(is_active=False)

    assert _try(Client(), person.username, make.PASSWORD).status_code == 401


@pytest.mark.parametrize(
    ("name", "password"), [("\x00", "x"), ("x" * 10_000, "x"), ("x", "x" * 5000)]
)
@pytest.mark.django_db
def test_absurd_names_and_passwords_are_refused(name: str, password: str) -> None:
    assert _try(Client(), name, password).status_code in {400, 401}


def test_a_name_that_is_too_long_is_not_cut_into_somebodys(person: User) -> None:
    User.objects.filter(pk=person.pk).update(username="n" * NAME_LIMIT)
    assert _try(Client(), "n" * NAME_LIMIT + "n", make.PASSWORD).status_code == 401
    assert _try(Client(), "n" * NAME_LIMIT, make.PASSWORD).status_code == 302


@pytest.mark.parametrize(("length", "status"), [(PASSWORD_LIMIT, 302), (PASSWORD_LIMIT + 1, 401)])
def test_a_password_is_looked_at_up_to_its_longest(person: User, length: int, status: int) -> None:
    person.set_password("p" * length)
    person.save()
    assert _try(Client(), person.username, "p" * length).status_code == status
