"""While a password is hashed nothing is held that others wait for."""

from collections.abc import Callable

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.db import connection
from django.test import Client

from apps.tenancy.models import MemberRole, Organization, User
from apps.tenancy.people import invitations
from apps.tenancy.people.invitations import InvitationWish
from apps.tenancy.scope import organization_scope
from tests.cast import make

NEW = "correct horse battery"
Act = Callable[[Organization, User], int]


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether a transaction was open, for each time something was hashed."""
    found: list[bool] = []
    encode = MD5PasswordHasher.encode

    def look(self: MD5PasswordHasher, password: str, salt: str) -> str:
        found.append(connection.in_atomic_block)
        return encode(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", look)
    return found


def link(organization: Organization, user: User | None = None) -> str:
    """Return the address of a new link."""
    with organization_scope(organization.pk):
        issued = invitations.issue(
            organization=organization,
            wish=InvitationWish(role=MemberRole.VIEWER),
            invited_by="command",
            now=make.AT.replace(year=2100),
            user=user,
        )
    return f"/join/{issued.code}/"


def sign_in(organization: Organization, user: User) -> int:
    form = {"username": user.username, "password": "wrong"}
    return Client().post("/sign-in/", form).status_code


def sign_in_as_nobody(organization: Organization, user: User) -> int:
    return Client().post("/sign-in/", {"username": "nobody", "password": "wrong"}).status_code


def join(organization: Organization, user: User) -> int:
    form = {"username": "newcomer", "password": NEW, "again": NEW}
    return Client().post(link(organization), form).status_code


def set_password(organization: Organization, user: User) -> int:
    return Client().post(link(organization, user), {"password": NEW, "again": NEW}).status_code


def change_password(organization: Organization, user: User) -> int:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    form = {"current": make.PASSWORD, "password": NEW, "again": NEW}
    return client.post(f"/o/{organization.slug}/settings/account/password/", form).status_code


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("act", "status"),
    [
        (sign_in, 401),
        (sign_in_as_nobody, 401),
        (join, 302),
        (set_password, 302),
        (change_password, 302),
    ],
)
def test_a_password_is_hashed_outside_of_transactions(
    act: Act, status: int, held: list[bool]
) -> None:
    organization = make.organization()
    user = make.user(organization=organization)
    held.clear()

    assert act(organization, user) == status
    assert held
    assert not any(held)
