"""Members and invitations by REST: for people who are signed in, and for no token."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from apps.tenancy.models import Invitation, KeptAnswer, MemberRole
from apps.tenancy.scope import organization_scope
from tests.apps.notifications.receiving import plain
from tests.cast import make
from tests.cast.clients import member, token
from tests.cast.incidents import Cast

PATHS = (
    "members/",
    "invitations/",
    "notifications/preferences/",
    "notifications/webhook/",
    "notifications/deliveries/",
)


def test_an_admin_lists_changes_and_removes(cast: Cast) -> None:
    ben = make.user(organization=cast.tenant, name="ben")
    admin = member(cast.tenant, MemberRole.ADMIN)
    listed = {each["username"]: each for each in admin.get("members/").json()["results"]}

    assert listed["ben"]["role"] == "responder"
    assert listed["ben"]["is_email_confirmed"] is False
    changed = admin.send("PATCH", "members/ben/", {"role": "viewer"})
    assert (changed.status_code, changed.json()["role"]) == (200, "viewer")
    assert admin.send("PATCH", "members/ben/", {"role": "king"}).status_code == 400
    assert admin.send("DELETE", "members/ben/").status_code == 204
    assert admin.get("members/ben/").status_code == 404
    ben.refresh_from_db()
    browser = Client()
    browser.force_login(ben, backend="django.contrib.auth.backends.ModelBackend")
    assert browser.get(f"/o/{cast.tenant.slug}/").status_code == 404


def test_the_last_admin_stays(cast: Cast) -> None:
    admin = member(cast.tenant, MemberRole.ADMIN)
    (own,) = admin.get("members/").json()["results"]

    assert own["is_needed"] is True
    for answer in (
        admin.send("DELETE", f"members/{own['username']}/"),
        admin.send("PATCH", f"members/{own['username']}/", {"role": "viewer"}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (409, "last_admin")


@pytest.mark.parametrize(("mailed", "waits"), [(True, True), (False, False)])
def test_a_link_is_shown_once_and_mailed_where_asked(
    cast: Cast, settings: Any, *, mailed: bool, waits: bool
) -> None:
    settings.PORTAL_SMTP = plain(9)
    admin = member(cast.tenant, MemberRole.ADMIN)
    wish = {"role": "viewer", "email": "noor@example.com", "is_mailed": mailed}
    made = admin.post("invitations/", wish, **{"Idempotency-Key": "k"})
    (listed,) = admin.get("invitations/").json()["results"]

    assert made.status_code == 201
    assert Client().get(urlsplit(made.json()["link"]).path).status_code == 200
    assert "link" not in listed
    with organization_scope(cast.tenant.pk):
        assert (Invitation.objects.get().mail_due_at is not None) == waits
        assert not KeptAnswer.objects.exists()
    for _ in range(2):
        assert admin.send("DELETE", f"invitations/{listed['id']}/").status_code == 204
    assert admin.get("invitations/").json()["results"] == []


@pytest.mark.parametrize(
    ("wish", "field"),
    [({}, "role"), ({"role": "x"}, "role"), ({"role": "viewer", "email": "nowhere"}, "email")],
)
def test_what_can_not_be_made_is_said(cast: Cast, wish: dict[str, str], field: str) -> None:
    admin = member(cast.tenant, MemberRole.ADMIN)
    answer = admin.post("invitations/", wish)

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == field
    assert admin.get("invitations/").json()["results"] == []


@pytest.mark.parametrize("path", PATHS)
def test_no_token_has_any_of_it(cast: Cast, path: str) -> None:
    assert token(cast.tenant).get(path).status_code == 404


def test_who_is_no_admin_reads_members_and_changes_nothing(cast: Cast) -> None:
    make.user(organization=cast.tenant, name="ben")
    asking = member(cast.tenant, MemberRole.RESPONDER)

    assert asking.get("members/ben/").status_code == 200
    for method, path in (
        ("PATCH", "members/ben/"),
        ("DELETE", "members/ben/"),
        ("POST", "invitations/"),
        ("GET", "invitations/"),
        ("GET", "notifications/webhook/"),
        ("PUT", "notifications/webhook/"),
        ("DELETE", "notifications/webhook/"),
        ("POST", "notifications/webhook/rotate/"),
        ("POST", "notifications/webhook/resume/"),
    ):
        body = {"role": "admin"} if method == "PATCH" else None
        assert asking.send(method, path, body).status_code == 404, path
