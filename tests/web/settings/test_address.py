"""The page that a mailed link leads to, what the tab Account says, and invitations by letter."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.tenancy.models import Confirmation, Invitation, MemberRole, User
from apps.tenancy.people import email_addresses
from apps.tenancy.scope import organization_scope
from tests.apps.notifications.receiving import plain
from tests.cast import make
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.settings.signed_in_browsers import signed_in

NEW = "ben@tenant.example"


@pytest.fixture
def ben(cast: Cast, settings: Any) -> User:
    """A member who typed an address, on a portal with a mail server."""
    settings.PORTAL_SMTP = plain(9)
    user = make.user(organization=cast.tenant, name="ben")
    signed_in(user).post(f"/o/{cast.tenant.slug}/settings/account/", {"name": "Ben", "email": NEW})
    user.refresh_from_db()
    return user


def code() -> str:
    """Return the code of the letter that waits."""
    letter = email_addresses.claim(now=timezone.now())  # noqa: TID251  the page reads the clock
    assert letter is not None
    email_addresses.note_sent(letter=letter, now=letter.confirmation.digest_at or make.AT)
    return letter.code


def test_looking_confirms_nothing_and_the_button_does(cast: Cast, ben: User) -> None:
    there = f"/address/{code()}/"
    strict = Client(enforce_csrf_checks=True)
    for _ in range(2):
        page = strict.get(there)
        assert page.status_code == 200
        assert NEW in page.content.decode()
    assert strict.post(there).status_code == 403
    assert not User.objects.get(pk=ben.pk).is_reachable

    done = Client().post(there)
    assert done.status_code == 200
    assert User.objects.get(pk=ben.pk).is_reachable
    assert Client().post(there).status_code == 404
    assert Client().get("/address/nonsense/").status_code == 404


def test_you_and_your_colleagues_see_what_is_not_confirmed(
    cast: Cast, browser: Browser, ben: User
) -> None:
    you, there = signed_in(ben), f"/o/{cast.tenant.slug}/settings"
    assert "a letter with a link is on its way" in you.get(f"{there}/account/").content.decode()
    assert "Nothing is sent to you yet" in you.get(f"{there}/notifications/").content.decode()
    members = browser(cast.tenant).get(f"{there}/members/").content.decode()
    assert members.count("not confirmed: nothing is sent there") == 1

    found = code()
    page = you.get(f"{there}/account/").content.decode()
    assert "follow the link in the letter of" in page
    assert "Send me the letter again" in page
    Client().post(f"/address/{found}/")
    assert "confirmed: letters go there" in you.get(f"{there}/account/").content.decode()
    assert "Nothing is sent to you yet" not in you.get(f"{there}/notifications/").content.decode()


def test_another_letter_is_asked_for_after_a_pause(cast: Cast, ben: User) -> None:
    code()
    there = f"/o/{cast.tenant.slug}/settings/account/"
    page = signed_in(ben).post(f"{there}address/", follow=True).content.decode()
    assert "the next letter with a link goes at" in page
    row = Confirmation.objects.get()
    assert row.due_at is not None
    assert row.sent_at is not None
    assert row.due_at - row.sent_at == email_addresses.FIRST_PAUSE
    assert signed_in(ben).get(f"{there}address/").status_code == 302


def test_no_test_goes_to_an_address_that_nobody_confirmed(cast: Cast, ben: User) -> None:
    there = f"/o/{cast.tenant.slug}/settings/notifications/test/"
    page = signed_in(ben).post(there, {"channel": "email"}, follow=True).content.decode()
    assert "not confirmed yet" in page


def test_a_language_is_kept_and_nonsense_refused(cast: Cast, ben: User) -> None:
    there = f"/o/{cast.tenant.slug}/settings/account/"
    form = {"name": "Ben", "email": NEW}
    assert signed_in(ben).post(there, form | {"language": "ko"}).status_code == 302
    assert signed_in(ben).post(there, form | {"language": "xx"}).status_code == 422
    ben.refresh_from_db()
    assert ben.language == "ko"


@pytest.mark.parametrize(("mailed", "says"), [("1", True), ("", False)])
def test_an_invitation_goes_by_letter_where_that_was_ticked(
    cast: Cast, browser: Browser, ben: User, mailed: str, *, says: bool
) -> None:
    admin = browser(cast.tenant, MemberRole.ADMIN)
    form = {"email": "noor@tenant.example", "role": "viewer", "is_mailed": mailed}
    there = f"/o/{cast.tenant.slug}/settings/"
    page = admin.post(f"{there}invitations/", form).content.decode()
    assert ("goes to noor@tenant.example now" in page) == says
    assert ("is on its way" in admin.get(f"{there}members/").content.decode()) == says
    with organization_scope(cast.tenant.pk):
        assert (Invitation.objects.get().mail_due_at is not None) == says


def test_a_portal_without_a_mail_server_mails_no_invitation(cast: Cast, browser: Browser) -> None:
    admin = browser(cast.tenant, MemberRole.ADMIN)
    form = {"email": "noor@tenant.example", "role": "viewer", "is_mailed": "1"}
    page = admin.post(f"/o/{cast.tenant.slug}/settings/invitations/", form).content.decode()
    assert "goes to noor@tenant.example" not in page
    assert "Send the link to this address" not in page
