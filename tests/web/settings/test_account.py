"""What a person changes of its own account, and that nobody guesses the password there."""

import pytest
from django.test import Client
from django.utils import timezone

from apps.tenancy.models import MemberRole, User
from apps.tenancy.people import invitations
from apps.tenancy.people.invitations import InvitationWish
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast
from tests.web.settings.audited_deeds import deeds_of
from tests.web.settings.signed_in_browsers import signed_in

NEW = "correct horse battery"


@pytest.fixture
def ben(cast: Cast) -> User:
    """A member of the tenant."""
    return make.user(organization=cast.tenant, name="ben")


def change(client: Client, cast: Cast, current: str, password: str = NEW, again: str = NEW) -> str:
    """Ask for another password and return the page that follows."""
    form = {"current": current, "password": password, "again": again}
    answer = client.post(f"/o/{cast.tenant.slug}/settings/account/password/", form, follow=True)
    return answer.content.decode()


def test_name_and_address_are_kept_and_recorded(cast: Cast, ben: User) -> None:
    client, there = signed_in(ben), f"/o/{cast.tenant.slug}/settings/account/"
    client.post(there, {"name": " Ben  Okri ", "email": "ben@tenant.example"})

    ben.refresh_from_db()
    assert (ben.get_full_name(), ben.email) == ("Ben Okri", "ben@tenant.example")
    assert "Ben Okri" in client.get(there).content.decode()
    assert deeds_of(cast.tenant)[-1] == "account.changed"


def test_what_is_no_address_is_said_and_nothing_kept(cast: Cast, ben: User) -> None:
    there = f"/o/{cast.tenant.slug}/settings/account/"
    answer = signed_in(ben).post(there, {"name": "Ben", "email": "a@b@c"})

    ben.refresh_from_db()
    assert answer.status_code == 422
    assert "address like" in answer.content.decode()
    assert ben.get_full_name() == ""


def test_a_new_password_ends_the_other_sessions_and_not_this_one(cast: Cast, ben: User) -> None:
    here, elsewhere = signed_in(ben), signed_in(ben)

    assert "counts from now on" in change(here, cast, make.PASSWORD)
    ben.refresh_from_db()
    assert ben.check_password(NEW)
    assert here.get(f"/o/{cast.tenant.slug}/").status_code == 200
    assert elsewhere.get(f"/o/{cast.tenant.slug}/").status_code == 302
    assert deeds_of(cast.tenant)[-1] == "password.changed"


def test_a_new_password_ends_the_links_that_would_set_another(cast: Cast, ben: User) -> None:
    with organization_scope(cast.tenant.pk):
        wish = InvitationWish(role=MemberRole.RESPONDER)
        now = timezone.now()  # noqa: TID251  the page reads the clock
        code = invitations.issue(
            organization=cast.tenant, wish=wish, invited_by="command", now=now, user=ben
        ).code
    assert Client().get(f"/join/{code}/").status_code == 200

    change(signed_in(ben), cast, make.PASSWORD)

    assert Client().get(f"/join/{code}/").status_code == 404


def test_a_password_that_does_not_do_changes_nothing(cast: Cast, ben: User) -> None:
    client = signed_in(ben)

    assert "not your password" in change(client, cast, "a guess")
    assert "not the same" in change(client, cast, make.PASSWORD, again="x")
    assert "too short" in change(client, cast, make.PASSWORD, "short", "short")
    ben.refresh_from_db()
    assert ben.check_password(make.PASSWORD)


def test_guesses_are_counted_as_at_the_door(cast: Cast, ben: User) -> None:
    client = signed_in(ben)
    pages = [change(client, cast, f"guess {n}") for n in range(6)]

    assert "Too many failed attempts" in pages[-1]
    assert "Too many failed attempts" in change(client, cast, make.PASSWORD)
