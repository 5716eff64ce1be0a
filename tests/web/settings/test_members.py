"""The settings in the browser: which tabs one sees, and who belongs to the organization."""

import html
import re
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client

from apps.tenancy.models import MemberRole, Organization, User
from tests.cast import make
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.markup import one_line
from tests.web.settings.audited_deeds import deeds_of

LINK = re.compile(r"http://\S+(/join/[\w.-]+/)")
MARK = re.compile(r'"X-CSRFToken": "\w+"')
SWITCH = re.compile(r'<form class="languages".*?</form>', re.DOTALL)
PASSWORD = "correct horse battery"  # noqa: S105  of a test


def there(organization: Organization) -> str:
    """Return where its settings are."""
    return f"/o/{organization.slug}/settings/"


def invited(client: Client, organization: Organization, **wish: str) -> str:
    """Invite somebody and return the path of the link that was shown."""
    answer = client.post(f"{there(organization)}invitations/", {"role": "responder", **wish})
    assert answer.status_code == 201
    assert "no-store" in answer["Cache-Control"]
    (path,) = set(LINK.findall(html.unescape(answer.content.decode())))
    return str(path)


def joined(client: Client, path: str, **typed: str) -> Any:
    """Follow a link as somebody new."""
    form = {"username": "noor", "password": PASSWORD, "again": PASSWORD, **typed}
    return client.post(path, form)


@pytest.mark.parametrize("role", list(MemberRole))
def test_the_settings_lead_to_a_tab_that_one_may_see(
    cast: Cast, browser: Browser, role: MemberRole
) -> None:
    answer = browser(cast.tenant, role).get(there(cast.tenant), follow=True)

    assert answer.redirect_chain == [(f"{there(cast.tenant)}members/", 302)]
    assert f'href="{there(cast.tenant)}members/" aria-current="page"' in one_line(
        answer.content.decode()
    )


def test_members_of_the_organization_and_of_no_other_are_listed(
    cast: Cast, browser: Browser
) -> None:
    make.user(organization=cast.tenant, role=MemberRole.ADMIN, name="anna")
    make.user(organization=cast.operator, role=MemberRole.ADMIN, name="oleg")
    page = browser(cast.tenant).get(f"{there(cast.tenant)}members/").content.decode()

    assert "anna" in page
    assert "oleg" not in page


def test_an_invited_person_comes_in_with_the_link_that_was_shown_once(
    cast: Cast, browser: Browser
) -> None:
    admin = browser(cast.tenant, MemberRole.ADMIN)
    path = invited(admin, cast.tenant, name="Noor Haddad")
    page = admin.get(f"{there(cast.tenant)}members/").content.decode()
    newcomer = Client()

    assert path not in page
    assert "Noor Haddad" in page
    assert newcomer.get(path).status_code == 200
    answer = joined(newcomer, path)
    assert answer["Location"] == f"/o/{cast.tenant.slug}/"
    assert newcomer.get(answer["Location"]).status_code == 200
    assert newcomer.get(f"/o/{cast.operator.slug}/").status_code == 404
    assert deeds_of(cast.tenant)[-4:] == [
        "member.invited",
        "member.joined",
        "sign_in.done",
        "access.refused",
    ]
    assert joined(Client(), path, username="other").status_code == 404


def test_looking_at_a_link_does_not_use_it_up(cast: Cast, browser: Browser) -> None:
    path = invited(browser(cast.tenant, MemberRole.ADMIN), cast.tenant)
    for _ in range(3):
        assert Client().get(path).status_code == 200
        assert Client().head(path).status_code == 200

    assert joined(Client(), path).status_code == 302


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ({"again": "another one"}, "not the same"),
        ({"password": "short", "again": "short"}, "too short"),
        ({"username": "a b"}, "letters, digits"),
        ({"username": "\x00"}, "letters, digits"),
        ({"email": "nowhere"}, "address like"),
    ],
)
def test_what_was_typed_wrong_is_said_and_the_rest_stays(
    cast: Cast, browser: Browser, typed: dict[str, str], says: str
) -> None:
    path = invited(browser(cast.tenant, MemberRole.ADMIN), cast.tenant)
    answer = joined(Client(), path, **{"name": "Noor Haddad", **typed})

    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert "Noor Haddad" in answer.content.decode()
    assert PASSWORD not in answer.content.decode()
    assert joined(Client(), path).status_code == 302


def test_who_has_an_account_joins_with_it(cast: Cast, browser: Browser) -> None:
    path = invited(browser(cast.tenant, MemberRole.ADMIN), cast.tenant)
    other = browser(cast.operator)

    assert "You are signed in as" in other.get(path).content.decode()
    assert other.post(path)["Location"] == f"/o/{cast.tenant.slug}/"
    assert other.get(f"/o/{cast.tenant.slug}/").status_code == 200
    assert other.get(f"/o/{cast.operator.slug}/").status_code == 200


def test_a_member_leaves_a_link_unused(cast: Cast, browser: Browser) -> None:
    admin = browser(cast.tenant, MemberRole.ADMIN)
    path = invited(admin, cast.tenant)

    assert admin.post(path).status_code == 302
    assert joined(Client(), path).status_code == 302


def test_a_revoked_link_is_gone_like_one_that_never_was(cast: Cast, browser: Browser) -> None:
    admin = browser(cast.tenant, MemberRole.ADMIN)
    path = invited(admin, cast.tenant)
    page = admin.get(f"{there(cast.tenant)}members/").content.decode()
    (revoke,) = re.findall(r'action="(\S+/revoke/)"', page)
    admin.post(revoke)

    gone, never = Client().get(path), Client().get(f"/join/{cast.tenant.slug}.absent/")
    assert gone.status_code == never.status_code == 404
    texts = [SWITCH.sub("", MARK.sub("", answer.content.decode())) for answer in (gone, never)]
    assert texts[0] == texts[1]


def test_the_sessions_of_a_removed_member_end_everywhere(cast: Cast, browser: Browser) -> None:
    user = make.user(organization=cast.tenant, name="ben")
    desk, phone = Client(), Client()
    for client in (desk, phone):
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        assert client.get(f"/o/{cast.tenant.slug}/").status_code == 200
    admin = browser(cast.tenant, MemberRole.ADMIN)
    answer = admin.post(f"{there(cast.tenant)}members/ben/remove/", follow=True)

    assert "no member any more" in answer.content.decode()
    for client in (desk, phone):
        assert client.get("/")["Location"] == "/sign-in/"
        assert client.get(f"/api/v1/o/{cast.tenant.slug}/incidents/").status_code == 404
    assert admin.get(f"{there(cast.tenant)}members/").status_code == 200
    assert "member.removed" in deeds_of(cast.tenant)


def test_another_role_counts_from_the_next_click(cast: Cast, browser: Browser) -> None:
    user = make.user(organization=cast.tenant, role=MemberRole.ADMIN, name="ben")
    ben = Client()
    ben.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    admin = browser(cast.tenant, MemberRole.ADMIN)
    admin.post(f"{there(cast.tenant)}members/ben/role/", {"role": "viewer"})

    wish = {"role": "viewer"}
    assert ben.post(f"{there(cast.tenant)}invitations/", wish).status_code == 404
    assert deeds_of(cast.tenant).count("member.role_changed") == 1


def test_the_last_admin_is_told_to_make_another_first(cast: Cast, browser: Browser) -> None:
    admin = browser(cast.tenant, MemberRole.ADMIN)
    (name,) = User.objects.filter(username__startswith="user-").values_list("username", flat=True)
    for act in ({"role": "viewer"}, None):
        path = f"{there(cast.tenant)}members/{name}/{'role' if act else 'remove'}/"
        answer = admin.post(path, act or {}, follow=True)
        assert "make another member an admin first" in answer.content.decode()


def test_the_only_admin_is_not_offered_to_leave(cast: Cast, browser: Browser) -> None:
    admin = browser(cast.tenant, MemberRole.ADMIN)
    make.user(organization=cast.tenant, role=MemberRole.RESPONDER, name="ben")
    path = f"{there(cast.tenant)}members/"
    alone = admin.get(path).content.decode()
    other = make.user(organization=cast.tenant, role=MemberRole.ADMIN, name="anna")
    other.set_password(PASSWORD)
    other.save()
    with_another = admin.get(path).content.decode()

    assert "Leave the organization" not in alone
    assert "The only admin" in alone
    assert "Remove ben" in alone
    assert "Leave the organization" in with_another


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_who_is_no_admin_sees_members_and_changes_nothing(
    cast: Cast, browser: Browser, role: MemberRole
) -> None:
    make.user(organization=cast.tenant, name="ben")
    client = browser(cast.tenant, role)
    page = client.get(f"{there(cast.tenant)}members/").content.decode()

    assert "ben" in page
    assert "<form" not in page.partition("<main")[2].partition("</main>")[0]
    for path in ("invitations/", "members/ben/role/", "members/ben/remove/"):
        assert client.post(there(cast.tenant) + path, {"role": "viewer"}).status_code == 404


def test_a_role_that_is_none_changes_nothing(cast: Cast, browser: Browser) -> None:
    make.user(organization=cast.tenant, role=MemberRole.RESPONDER, name="ben")
    admin = browser(cast.tenant, MemberRole.ADMIN)

    path = f"{there(cast.tenant)}members/ben/role/"
    assert admin.post(path, {"role": "owner"}).status_code == 404
    assert admin.post(f"{there(cast.tenant)}invitations/", {"role": ""}).status_code == 404
    assert "member.role_changed" not in deeds_of(cast.tenant)


def test_a_letter_to_no_address_makes_no_link(
    cast: Cast, browser: Browser, settings: LazySettings
) -> None:
    settings.PORTAL_SMTP = {"host": "127.0.0.1", "port": 25, "security": "none"}
    admin = browser(cast.tenant, MemberRole.ADMIN)
    where = f"{there(cast.tenant)}invitations/"
    answer = admin.post(where, {"role": "viewer", "email": " ", "is_mailed": "1"})

    assert answer.status_code == 422
    assert "Write the address of the letter, or send none." in answer.content.decode()
    assert deeds_of(cast.tenant) == []
    assert admin.post(where, {"role": "viewer", "email": ""}).status_code == 201


@pytest.mark.parametrize(("chosen", "kept"), [("", "ko"), ("en", "en")])
def test_who_joins_on_a_korean_page_gets_korean_letters(
    cast: Cast, browser: Browser, chosen: str, kept: str
) -> None:
    path = invited(browser(cast.tenant, MemberRole.ADMIN), cast.tenant)
    newcomer = Client(headers={"Accept-Language": "ko"})
    assert joined(newcomer, path).status_code == 302
    noor = User.objects.get(username="noor")
    assert noor.language == "ko"

    noor.language = chosen
    noor.save(update_fields=["language"])
    again = invited(browser(cast.operator, MemberRole.ADMIN), cast.operator)
    assert newcomer.post(again).status_code == 302
    assert User.objects.get(username="noor").language == kept
