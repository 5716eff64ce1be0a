"""A second factor that an organization requires: who has none sets one up, and reaches no more."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client

from apps.tenancy.credentials import issue
from apps.tenancy.models import (
    AuditEntry,
    MemberRole,
    Membership,
    Organization,
    TokenScope,
    User,
)
from apps.tenancy.scope import organization_scope
from tests.cast import make

PAGE = "/account/second-factor/"


@pytest.fixture
def organization(db: None) -> Organization:
    """The one that requires it."""
    cache.clear()
    return make.organization()


@pytest.fixture
def admin(organization: Organization) -> User:
    """Who manages it, with a factor."""
    user = make.user(organization=organization, role=MemberRole.ADMIN)
    give_factor(user)
    return user


@pytest.fixture
def member(organization: Organization) -> User:
    """Who has none."""
    return make.user(organization=organization)


def give_factor(user: User) -> None:
    """Let a person have an app; nobody asks for its codes here."""
    Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={"secret": "x"})


def _client(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def _require(admin: User, organization: Organization, *, required: str = "1") -> Any:
    path = f"/o/{organization.slug}/settings/second-factor/"
    return _client(admin).post(path, {"required": required}, follow=True)


def _deeds(organization: Organization) -> list[str]:
    with organization_scope(organization.pk):
        own = AuditEntry.objects.for_organization(organization)
        return list(own.order_by("sequence").values_list("action", flat=True))


def _paths(organization: Organization) -> list[str]:
    return [
        *(f"/o/{organization.slug}/", f"/o/{organization.slug}/incidents/"),
        f"/o/{organization.slug}/live/stream/",
        f"/api/v1/o/{organization.slug}/incidents/",
        f"/api/v1/o/{organization.slug}/incidents/?format=csv",
    ]


def test_who_has_none_is_told_to_set_one_up_and_reads_nothing(
    organization: Organization, admin: User, member: User
) -> None:
    client = _client(member)
    pages = _paths(organization)
    assert client.get(pages[0]).status_code == 200
    _require(admin, organization)
    answers = [client.get(path) for path in pages]

    assert {each.status_code for each in answers} == {403}
    assert "requires a second factor" in answers[0].content.decode()
    assert answers[-1].json()["code"] == "second_factor_required"
    assert client.post(f"/o/{organization.slug}/settings/account/", {}).status_code == 403
    shown = client.get(pages[0], headers={"hx-request": "true"})
    assert shown["HX-Redirect"] == pages[0]
    assert client.get(PAGE).status_code == 200
    assert "requires a second factor" in client.get(PAGE).content.decode()
    give_factor(member)
    assert client.get(pages[0]).status_code == 200


def test_what_a_script_sends_without_one_is_never_answered_as_done(
    organization: Organization, admin: User, member: User
) -> None:
    _require(admin, organization)
    path = f"/o/{organization.slug}/incidents/some/acknowledge/"
    answer = _client(member).post(path, headers={"hx-request": "true"})

    assert answer.status_code == 403
    assert answer["HX-Redirect"] == PAGE
    assert "requires a second factor" in answer.content.decode()


def test_the_other_organizations_of_the_same_person_stay_open(
    organization: Organization, admin: User, member: User
) -> None:
    other = make.organization(slug="zz-after-all-others")
    with organization_scope(other.pk):
        Membership.objects.create(organization=other, user=member, role=MemberRole.VIEWER)
    _require(admin, organization)
    client = _client(member)

    assert client.get(f"/o/{other.slug}/").status_code == 200
    refused = client.get(f"/o/{organization.slug}/").content.decode()
    assert f'href="/o/{other.slug}/"' in refused
    assert client.get("/")["Location"] == f"/o/{other.slug}/"
    give_factor(member)
    assert client.get("/")["Location"] == f"/o/{organization.slug}/"


def test_strangers_are_not_told_that_it_is_there(organization: Organization, admin: User) -> None:
    _require(admin, organization)
    stranger = _client(make.user(organization=make.organization()))

    assert stranger.get(f"/o/{organization.slug}/").status_code == 404
    assert stranger.get(f"/api/v1/o/{organization.slug}/incidents/").status_code == 404


def test_tokens_of_machines_are_not_concerned(organization: Organization, admin: User) -> None:
    _require(admin, organization)
    with organization_scope(organization.pk):
        scopes = frozenset({TokenScope.READ})
        made = issue(
            organization=organization,
            name="ci",
            scopes=scopes,
            now=datetime(2026, 11, 1, tzinfo=UTC),
        )
    headers = {"authorization": f"Bearer {made.clear_text}"}

    path = f"/api/v1/o/{organization.slug}/incidents/"
    assert Client().get(path, headers=headers).status_code == 200


def test_an_admin_has_one_before_others_are_asked(organization: Organization, member: User) -> None:
    without = make.user(organization=organization, role=MemberRole.ADMIN)
    page = _require(without, organization).content.decode()
    assert "Set up your own second factor first" in page
    assert _client(member).get(f"/o/{organization.slug}/").status_code == 200
    assert "second_factor.required" not in _deeds(organization)


def test_members_are_asked_no_longer_and_both_are_in_the_record(
    organization: Organization, admin: User, member: User
) -> None:
    _require(admin, organization)
    _require(admin, organization)
    _require(admin, organization, required="0")

    assert _client(member).get(f"/o/{organization.slug}/").status_code == 200
    told = [each for each in _deeds(organization) if each.startswith("second_factor.")]
    assert told == ["second_factor.required", "second_factor.not_required"]


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_only_admins_change_it_and_read_who_has_none(
    organization: Organization, admin: User, role: MemberRole
) -> None:
    other = make.user(organization=organization, role=role)
    give_factor(other)
    lacking = make.user(organization=organization)
    client = _client(other)
    path = f"/o/{organization.slug}/settings"

    assert client.post(f"{path}/second-factor/", {"required": "1"}).status_code == 404
    assert "Have none yet" not in client.get(f"{path}/members/").content.decode()
    page = _client(admin).get(f"{path}/members/").content.decode()
    (told,) = re.findall(r"Have none yet:\s*<b[^>]*>([^<]+)</b>", page)
    assert told == lacking.username


def test_the_last_factor_stays_while_it_is_required(
    organization: Organization, admin: User
) -> None:
    _require(admin, organization)
    client = _client(admin)
    client.post("/account/confirm/", {"password": make.PASSWORD})
    shown = client.get(f"{PAGE}app/remove/").content.decode()
    refused = client.post(f"{PAGE}app/remove/").content.decode()
    assert "Add another one, then remove this." in shown
    assert "Add another one, then remove this." in refused
    assert Authenticator.objects.filter(user=admin).exists()

    _require(admin, organization, required="0")
    client.post(f"{PAGE}app/remove/")
    assert not Authenticator.objects.filter(user=admin).exists()


def test_whose_factor_an_operator_took_away_reaches_the_set_up_alone(
    organization: Organization, admin: User
) -> None:
    _require(admin, organization)
    call_command("link", admin.username, remove_second_factor=True)
    client = Client()
    client.post("/sign-in/", {"username": admin.username, "password": make.PASSWORD})

    assert client.get(f"/o/{organization.slug}/").status_code == 403
    assert client.get(PAGE).status_code == 200
