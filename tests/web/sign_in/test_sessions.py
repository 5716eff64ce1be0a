"""Where somebody is signed in: listed for that person alone, and ended at once."""

import pytest
from allauth.usersessions.models import UserSession
from django.test import Client

from apps.tenancy.models import AuditEntry, Organization, User
from apps.tenancy.scope import organization_scope
from tests.cast import make


@pytest.fixture
def organization(db: None) -> Organization:
    """Where the people belong."""
    return make.organization()


@pytest.fixture
def person(organization: Organization) -> User:
    """Who signs in."""
    return make.user(organization=organization)


def _browser(person: User, agent: str) -> Client:
    client = Client(headers={"user-agent": agent})
    client.post("/sign-in/", {"username": person.username, "password": make.PASSWORD})
    return client


def _is_inside(client: Client, organization: Organization) -> bool:
    return client.get(f"/o/{organization.slug}/").status_code == 200


def _row(agent: str) -> int:
    return int(UserSession.objects.get(user_agent=agent).pk)


def test_the_list_has_ones_own_browsers_only(person: User, organization: Organization) -> None:
    other = make.user(organization=organization)
    here = _browser(person, "Firefox of the desk")
    _browser(person, "Safari of the phone")
    _browser(other, "somebody else's")
    page = here.get("/account/sessions/").content.decode()

    assert "Firefox of the desk" in page
    assert "Safari of the phone" in page
    assert "somebody else" not in page


def test_an_ended_session_opens_nothing_from_the_next_request_on(
    person: User, organization: Organization
) -> None:
    here, phone, lost = (_browser(person, each) for each in ("here", "phone", "lost"))
    here.post("/account/sessions/end/", {"session": str(_row("lost"))})

    assert [_is_inside(each, organization) for each in (here, phone, lost)] == [True, True, False]
    here.post("/account/sessions/end/", {"session": "others"})
    assert [_is_inside(each, organization) for each in (here, phone)] == [True, False]
    with organization_scope(organization.pk):
        ended = AuditEntry.objects.for_organization(organization).filter(action="session.ended")
        assert [each.count for each in ended] == [1, 1]


@pytest.mark.parametrize("named", ["", "x", "-1", "0", "9" * 30, "٣"])
def test_what_names_no_session_ends_none(
    person: User, organization: Organization, named: str
) -> None:
    here, phone = _browser(person, "here"), _browser(person, "phone")
    here.post("/account/sessions/end/", {"session": named})

    assert _is_inside(here, organization)
    assert _is_inside(phone, organization)


def test_the_session_of_somebody_else_can_not_be_ended(
    person: User, organization: Organization
) -> None:
    other = _browser(make.user(organization=organization), "other")
    _browser(person, "here").post("/account/sessions/end/", {"session": str(_row("other"))})

    assert _is_inside(other, organization)


def test_a_session_from_before_sessions_were_listed_is_listed(
    person: User, organization: Organization
) -> None:
    client = Client(headers={"user-agent": "from before"})
    client.force_login(person)

    assert "from before" in client.get("/account/sessions/").content.decode()


def test_nobody_reads_or_ends_without_signing_in(db: None) -> None:
    assert Client().get("/account/sessions/")["Location"].startswith("/sign-in/")
    assert Client().post("/account/sessions/end/")["Location"].startswith("/sign-in/")
