"""The tokens tab: who sees it, and that a token made there is shown once and works."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from apps.tenancy.credentials import issue
from apps.tenancy.models import MemberRole, TokenScope
from apps.tenancy.scope import organization_scope
from tests.cast.incidents import Cast
from tests.web.conftest import Browser

CLEAR = re.compile(r"flt_[A-Za-z0-9]{8}_[A-Za-z0-9]{40}")


def test_a_token_made_in_the_settings_is_shown_once_works_and_ends(
    cast: Cast, browser: Browser
) -> None:
    client, there = (
        browser(cast.tenant, MemberRole.ADMIN),
        f"/o/{cast.tenant.slug}/settings/tokens/",
    )
    answer = client.post(
        there, {"name": "reports", "scope": ["read", "ingest"], "cluster": cast.cluster.slug}
    )
    (clear_text,) = set(CLEAR.findall(answer.content.decode()))
    machine = Client(headers={"Authorization": f"Bearer {clear_text}"})

    assert answer.status_code == 201
    assert machine.get(f"/api/v1/o/{cast.tenant.slug}/incidents/").status_code == 200
    again = client.get(there).content.decode()
    assert CLEAR.findall(again) == []
    assert "reports" in again
    assert "used 0 s ago" in again
    (revoke,) = re.findall(r'action="(\S+/revoke/)"', again)
    assert client.post(revoke)["Location"] == there
    assert machine.get(f"/api/v1/o/{cast.tenant.slug}/incidents/").status_code == 401


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_who_is_no_admin_has_no_such_tab(cast: Cast, browser: Browser, role: MemberRole) -> None:
    client, there = browser(cast.tenant, role), f"/o/{cast.tenant.slug}/settings/"

    assert client.get(f"{there}tokens/").status_code == 404
    assert client.post(f"{there}tokens/", {"name": "x", "scope": "read"}).status_code == 404
    assert f"{there}tokens/" not in client.get(f"{there}members/").content.decode()


def test_what_can_not_be_made_is_said_where_it_was_asked(cast: Cast, browser: Browser) -> None:
    client = browser(cast.tenant, MemberRole.ADMIN)
    answer = client.post(f"/o/{cast.tenant.slug}/settings/tokens/", {"name": "x"})

    assert answer.status_code == 422
    assert "Say what it may do" in answer.content.decode()


def test_a_token_that_ends_soon_stands_out_and_one_that_ended_says_so(
    cast: Cast, browser: Browser
) -> None:
    now = timezone.now()  # noqa: TID251  the page reads the clock
    with organization_scope(cast.tenant.pk):
        for name, days in (("soon", 3), ("over", -3), ("later", 90)):
            issue(
                organization=cast.tenant,
                name=name,
                scopes=frozenset({TokenScope.READ}),
                now=now,
                expires_at=now + timedelta(days=days),
            )
    client = browser(cast.tenant, MemberRole.ADMIN)
    page = client.get(f"/o/{cast.tenant.slug}/settings/tokens/").content.decode()

    assert page.count("state-stale") == 1
    assert page.count("ended on") == 1
