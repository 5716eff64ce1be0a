"""A second factor: asked for before anybody is in, kept sealed, written down, replaceable."""

import re
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from time_machine import TimeMachineFixture

from apps.tenancy.credentials import letters
from apps.tenancy.models import AuditEntry, Organization, User
from apps.tenancy.scope import organization_scope
from tests.cast import make

PERIOD = 30
KEY = re.compile(r'<code class="break">([A-Z2-7]+)</code>')
CODE = re.compile(r"<li><code>(\d+)</code></li>")


@pytest.fixture
def organization(db: None) -> Organization:
    """Where the person belongs."""
    return make.organization()


@pytest.fixture
def person(organization: Organization) -> User:
    """Who signs in."""
    return make.user(organization=organization)


@pytest.fixture(autouse=True)
def early_in_its_half_minute(time_machine: TimeMachineFixture) -> None:
    """A code counts in its own half minute: no test begins at the end of one."""
    began = int(time.time()) // PERIOD * PERIOD
    time_machine.move_to(datetime.fromtimestamp(began + 1, tz=UTC))


def _code(key: str) -> str:
    return str(format_hotp_value(hotp_value(key, int(time.time()) // PERIOD)))


def _wrong(key: str) -> str:
    return f"{(int(_code(key)) + 500_000) % 1_000_000:06}"


def _enter(client: Client, person: User, **more: str) -> Any:
    return client.post(
        "/sign-in/", {"username": person.username, "password": make.PASSWORD, **more}
    )


def _confirmed(person: User) -> Client:
    client = Client()
    _enter(client, person)
    client.post("/account/confirm/", {"password": make.PASSWORD, "next": "/account/second-factor/"})
    return client


def _with_app(person: User, capture: Any) -> tuple[Client, str, list[str]]:
    client = _confirmed(person)
    shown = client.get("/account/second-factor/app/").content.decode()
    (key,) = KEY.findall(shown)
    with capture(execute=True):
        answer = client.post("/account/second-factor/app/", {"code": _code(key)})
    assert answer["Location"] == "/account/second-factor/recovery-codes/"
    codes = CODE.findall(client.get(answer["Location"]).content.decode())
    cache.clear()  # the same code within its half minute would be taken for one that was read off
    return client, key, codes


def _deeds(organization: Organization) -> list[str]:
    with organization_scope(organization.pk):
        own = AuditEntry.objects.for_organization(organization)
        return list(own.order_by("sequence").values_list("action", flat=True))


def _is_inside(client: Client, organization: Organization) -> bool:
    return client.get(f"/o/{organization.slug}/").status_code == 200


def test_who_has_an_app_is_asked_for_its_code_before_anything_opens(
    person: User,
    organization: Organization,
    django_capture_on_commit_callbacks: Any,
) -> None:
    _, key, _ = _with_app(person, django_capture_on_commit_callbacks)
    client = Client()

    assert _enter(client, person, next="/account/sessions/")["Location"] == (
        "/sign-in/second-factor/"
    )
    assert not _is_inside(client, organization)
    refused = client.post("/sign-in/second-factor/", {"code": _wrong(key)})
    assert refused.status_code == 422
    assert 'role="alert"' in refused.content.decode()
    assert not _is_inside(client, organization)
    answer = client.post("/sign-in/second-factor/", {"code": _code(key)})
    assert answer["Location"] == "/account/sessions/"
    assert _is_inside(client, organization)
    assert "portal_device" in answer.cookies
    told = _deeds(organization)
    assert told.count("sign_in.done") == 2
    assert {"second_factor.added", "second_factor.failed", "second_factor.used"} <= set(told)


def test_a_code_and_a_recovery_code_open_once(
    person: User,
    organization: Organization,
    django_capture_on_commit_callbacks: Any,
) -> None:
    _, key, codes = _with_app(person, django_capture_on_commit_callbacks)
    assert len(codes) == 10
    for code, opens in ((codes[0], True), (codes[0], False), (codes[1], True)):
        client = Client()
        _enter(client, person)
        client.post("/sign-in/second-factor/", {"code": code})
        assert _is_inside(client, organization) is opens
    code = _code(key)
    clients = [Client(), Client()]
    for client in clients:
        _enter(client, person)
        client.post("/sign-in/second-factor/", {"code": code})
    assert [_is_inside(client, organization) for client in clients].count(True) <= 1


def test_recovery_codes_are_shown_once(
    person: User, django_capture_on_commit_callbacks: Any
) -> None:
    client, _, codes = _with_app(person, django_capture_on_commit_callbacks)
    again = client.get("/account/second-factor/recovery-codes/").content.decode()

    assert not any(code in again for code in codes)


def test_wrong_codes_are_counted_and_then_refused(
    person: User,
    organization: Organization,
    django_capture_on_commit_callbacks: Any,
) -> None:
    _, key, _ = _with_app(person, django_capture_on_commit_callbacks)
    for _try in range(6):
        client = Client()
        _enter(client, person)
        client.post("/sign-in/second-factor/", {"code": _wrong(key)})
    client = Client()
    _enter(client, person)
    refused = client.post("/sign-in/second-factor/", {"code": _code(key)})

    assert refused.status_code == 429
    assert "Wait five minutes" in refused.content.decode()
    assert not _is_inside(client, organization)


def test_the_first_factor_ends_the_sessions_that_began_without_one(
    person: User, organization: Organization, django_capture_on_commit_callbacks: Any
) -> None:
    stranger = Client()  # who knows the password, and was there before
    _enter(stranger, person)
    assert _is_inside(stranger, organization)

    client, _, _ = _with_app(person, django_capture_on_commit_callbacks)

    assert _is_inside(client, organization)
    assert not _is_inside(stranger, organization)


def test_a_factor_changes_only_after_the_password_was_given_again(person: User) -> None:
    client = Client()
    _enter(client, person)

    answer = client.get("/account/second-factor/app/")
    assert answer["Location"].startswith("/account/confirm/?next=")
    refused = client.post("/account/confirm/", {"password": "wrong"})
    assert 'role="alert"' in refused.content.decode()
    assert client.get("/account/second-factor/app/").status_code == 302


def test_confirming_leads_to_no_other_site(person: User) -> None:
    client = Client()
    _enter(client, person)
    for elsewhere in ("https://evil.example/", "//evil.example/", "/\\evil.example"):
        answer = client.post("/account/confirm/", {"password": make.PASSWORD, "next": elsewhere})
        assert "evil" not in answer["Location"]


def test_the_secrets_are_sealed_and_sealed_anew(
    person: User, settings: Any, django_capture_on_commit_callbacks: Any
) -> None:
    _, key, codes = _with_app(person, django_capture_on_commit_callbacks)
    former = list(settings.PORTAL_SECRET_KEYS)
    assert key not in str(list(Authenticator.objects.values_list("data", flat=True)))
    settings.PORTAL_SECRET_KEYS = [letters(50), *former]
    call_command("reseal")
    settings.PORTAL_SECRET_KEYS = settings.PORTAL_SECRET_KEYS[:1]
    totp = Authenticator.objects.get(user=person, type=Authenticator.Type.TOTP)
    recovery = Authenticator.objects.get(user=person, type=Authenticator.Type.RECOVERY_CODES)

    assert totp.wrap().validate_code(_code(key))
    assert recovery.wrap().validate_code(codes[0])


def test_a_link_for_a_new_password_asks_for_the_second_factor(
    person: User,
    organization: Organization,
    capsys: Any,
    django_capture_on_commit_callbacks: Any,
) -> None:
    _, key, _ = _with_app(person, django_capture_on_commit_callbacks)
    call_command("link", person.username)
    path = "/join/" + capsys.readouterr().out.strip().partition("/join/")[2]
    client = Client()
    chosen = {"password": "another good long one", "again": "another good long one"}

    assert client.post(path, chosen)["Location"] == "/sign-in/second-factor/"
    assert not _is_inside(client, organization)
    client.post("/sign-in/second-factor/", {"code": _code(key)})
    assert _is_inside(client, organization)


def test_an_operator_takes_the_second_factor_of_who_lost_it(
    person: User, organization: Organization, django_capture_on_commit_callbacks: Any
) -> None:
    _with_app(person, django_capture_on_commit_callbacks)
    call_command("link", person.username, remove_second_factor=True)
    client = Client()
    _enter(client, person)

    assert _is_inside(client, organization)
    assert "second_factor.removed" in _deeds(organization)


def test_removing_the_app_takes_the_recovery_codes(
    person: User, organization: Organization, django_capture_on_commit_callbacks: Any
) -> None:
    client, _, _ = _with_app(person, django_capture_on_commit_callbacks)
    client.post("/account/second-factor/app/remove/")

    assert not Authenticator.objects.filter(user=person).exists()
    assert _deeds(organization)[-1] == "second_factor.removed"


def test_strangers_are_led_to_the_door(db: None) -> None:
    for path in ("", "app/", "app/remove/", "recovery-codes/", "recovery-codes/new/"):
        answer = Client().get(f"/account/second-factor/{path}")
        assert answer["Location"].startswith("/sign-in/")
    assert Client().get("/sign-in/second-factor/")["Location"] == "/sign-in/"
