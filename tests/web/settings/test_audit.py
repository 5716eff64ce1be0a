"""The audit tab: who did what, by name, in pages, and whether the record is whole."""

from datetime import timedelta

import pytest
from django.test import Client

from apps.tenancy.audit.audit_log import AuditAction, record
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast
from tests.web.conftest import Browser


def there(organization: Organization) -> str:
    """Return where its record is."""
    return f"/o/{organization.slug}/settings/audit/"


def noted(organization: Organization, count: int, action: str = "token.issued") -> None:
    """Put entries on a record."""
    with organization_scope(organization.pk):
        for number in range(count):
            act = AuditAction(action=action, subject=f"subject-{number}", actor="command")
            record(
                organization_id=organization.pk,
                act=act,
                now=make.AT + timedelta(seconds=number),
            )


def rows(page: str) -> int:
    """Return how many entries a page shows."""
    return page.count("<tr>") - 1


def test_people_and_tokens_are_told_by_name(cast: Cast, browser: Browser) -> None:
    admin = make.user(organization=cast.tenant, role=MemberRole.ADMIN, name="anna")
    client = Client()
    client.post("/sign-in/", {"username": "anna", "password": make.PASSWORD})
    client.post(f"/o/{cast.tenant.slug}/tokens/", {"name": "login-1", "scope": "read"})
    client.get(f"/o/{cast.tenant.slug}/incidents/INC-NONE/")
    page = client.get(there(cast.tenant)).content.decode()

    assert "anna" in page
    assert admin.label not in page
    assert "login-1 (flt_" in page
    for words in ("signed in", "made a token", "asked for what is not there", "127.0.0.1"):
        assert words in page


def test_the_record_of_others_stays_theirs(cast: Cast, browser: Browser) -> None:
    noted(cast.operator, 1, "incident.exported")
    page = browser(cast.tenant, MemberRole.ADMIN).get(there(cast.tenant)).content.decode()

    assert "subject-0" not in page


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_only_who_manages_reads_it(cast: Cast, browser: Browser, role: MemberRole) -> None:
    assert browser(cast.tenant, role).get(there(cast.tenant)).status_code == 404


def test_it_comes_in_pages_and_by_kind(cast: Cast, browser: Browser) -> None:
    noted(cast.tenant, 150)
    noted(cast.tenant, 2, "source.added")
    client = browser(cast.tenant, MemberRole.ADMIN)
    first = client.get(there(cast.tenant)).content.decode()
    second = client.get(f"{there(cast.tenant)}?kind=&before=53").content.decode()

    assert "before=53" in first
    assert (rows(first), rows(second)) == (100, 52)
    assert rows(client.get(f"{there(cast.tenant)}?kind=sources").content.decode()) == 2
    for nonsense in ("?kind=x", "?before=x", "?before=9" + "9" * 40, "?before=%C2%B2"):
        assert rows(client.get(there(cast.tenant) + nonsense).content.decode()) == 100


def test_it_is_said_whether_the_record_is_whole(cast: Cast, browser: Browser) -> None:
    noted(cast.tenant, 3)
    client = browser(cast.tenant, MemberRole.ADMIN)

    page = client.get(f"{there(cast.tenant)}?check=1").content.decode()
    assert "All 3 entries are as they were written." in page
    noted(cast.tenant, 1)
    page = client.get(f"{there(cast.tenant)}?check=1").content.decode()
    assert "The 1 entry since" in page
    assert "the 3 before were proven then" in page


def test_an_address_of_a_former_version_shows_the_same_kind(cast: Cast, browser: Browser) -> None:
    noted(cast.tenant, 3, "webhook.paused")
    client = browser(cast.tenant, MemberRole.ADMIN)
    for kind in ("notices", "notifications"):
        page = client.get(f"{there(cast.tenant)}?kind={kind}").content.decode()
        assert rows(page) == 3
        assert '<a href="?kind=notifications" aria-current="true">' in page
