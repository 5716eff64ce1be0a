"""Tokens in the browser: made by an admin, shown once, working as copied, gone when revoked."""

import html
import re

import pytest
from django.test import Client

from apps.telemetry.models import Batch
from apps.tenancy.models import AuditEntry, MemberRole, Organization, Token
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast
from tests.web.conftest import Browser

CLEAR = re.compile(r"flt_[A-Za-z0-9]{8}_[A-Za-z0-9]{40}")
CURL = re.compile(r'curl -H "Authorization: (Bearer \S+)" --data-binary @train\.log \'(\S+)\'')


def tokens_of(organization: Organization) -> list[Token]:
    """Return the organization's tokens, oldest first."""
    with organization_scope(organization.pk):
        return list(Token.objects.for_organization(organization).order_by("id"))


def deeds_of(organization: Organization) -> list[tuple[str, str]]:
    """Return what is on the organization's record."""
    with organization_scope(organization.pk):
        own = AuditEntry.objects.for_organization(organization).order_by("sequence")
        return list(own.values_list("action", "subject"))


def test_a_token_is_shown_once_and_never_again(cast: Cast, browser: Browser) -> None:
    client, there = browser(cast.tenant, MemberRole.ADMIN), f"/o/{cast.tenant.slug}/"
    answer = client.post(f"{there}tokens/", {"name": "login-1", "scope": "ingest", "days": "90"})
    shown = set(CLEAR.findall(answer.content.decode()))
    (token,) = tokens_of(cast.tenant)

    assert answer.status_code == 201
    assert "no-store" in answer["Cache-Control"]
    assert len(shown) == 1
    assert token.expires_at is not None
    again = client.get(f"{there}sources/").content.decode()
    assert CLEAR.findall(again) == []
    assert token.prefix in again
    assert deeds_of(cast.tenant)[-1] == ("token.issued", token.prefix)
    assert client.get(f"{there}tokens/").status_code == 302


@pytest.mark.parametrize("is_bound", [True, False])
def test_the_copied_line_works_as_it_is(cast: Cast, browser: Browser, *, is_bound: bool) -> None:
    client = browser(cast.tenant, MemberRole.ADMIN)
    chosen = {"cluster": cast.cluster.slug} if is_bound else {}
    answer = client.post(
        f"/o/{cast.tenant.slug}/tokens/", {"name": "login-1", "scope": "ingest", **chosen}
    )
    lines = set(CURL.findall(html.unescape(answer.content.decode())))
    ((authorization, url),) = lines
    sent = Client().post(
        url,
        "ERROR it broke\n",
        content_type="application/x-www-form-urlencoded",
        headers={"Authorization": authorization},
    )

    assert sent.status_code == 200
    assert sent.json()["accepted"] == 1
    with organization_scope(cast.tenant.pk):
        (batch,) = Batch.objects.for_organization(cast.tenant)
    assert batch.cluster_id == (cast.cluster.pk if is_bound else None)


def test_beside_the_ticked_cluster_stands_who_will_see_what_is_sent(
    cast: Cast, browser: Browser
) -> None:
    client = browser(cast.tenant, MemberRole.ADMIN)
    text = " ".join(client.get(f"/o/{cast.tenant.slug}/sources/").content.decode().split())
    (box,) = re.findall(r'<input type="checkbox" name="cluster"[^>]*>', text)
    assert " checked" in box
    assert 'aria-describedby="cluster-hint"' in box
    hint = text.split('id="cluster-hint">')[1].split("</p>")[0]
    assert "its operator among them, see the session and what broke, not your lines" in hint
    assert "Ticked beforehand" in hint


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_who_is_no_admin_is_refused_and_told_whom_to_ask(
    cast: Cast, browser: Browser, role: MemberRole
) -> None:
    make.user(organization=cast.tenant, role=MemberRole.ADMIN, name="the-admin")
    make.token(organization=cast.tenant)
    (token,) = tokens_of(cast.tenant)
    client, there = browser(cast.tenant, role), f"/o/{cast.tenant.slug}/"
    page = client.get(f"{there}sources/").content.decode()

    assert "the-admin" in page
    assert token.prefix not in page
    wish = {"name": "x", "scope": "ingest"}
    assert client.post(f"{there}tokens/", wish).status_code == 404
    assert client.post(f"{there}tokens/{token.prefix}/revoke/").status_code == 404
    assert [each.revoked_at for each in tokens_of(cast.tenant)] == [None]


def test_an_outsider_finds_nothing(cast: Cast, browser: Browser) -> None:
    make.token(organization=cast.tenant)
    (token,) = tokens_of(cast.tenant)
    client = browser(cast.stranger, MemberRole.ADMIN)
    wish = {"name": "x", "scope": "ingest"}

    assert client.post(f"/o/{cast.tenant.slug}/tokens/", wish).status_code == 404
    for where in (cast.tenant, cast.stranger):
        there = f"/o/{where.slug}/tokens/{token.prefix}/revoke/"
        assert client.post(there).status_code == 404
    foreign = {"name": "x", "scope": "ingest", "cluster": cast.cluster.slug}
    assert client.post(f"/o/{cast.stranger.slug}/tokens/", foreign).status_code == 404
    assert [each.revoked_at for each in tokens_of(cast.tenant)] == [None]


def test_without_the_mark_of_the_form_nothing_is_made(cast: Cast, browser: Browser) -> None:
    client = browser(cast.tenant, MemberRole.ADMIN, strict=True)
    there = f"/o/{cast.tenant.slug}/tokens/"
    assert client.post(there, {"name": "x", "scope": "ingest"}).status_code == 403
    assert tokens_of(cast.tenant) == []


def test_a_revoked_token_opens_nothing(cast: Cast, browser: Browser) -> None:
    clear_text = make.token(organization=cast.tenant, clusters=[cast.cluster])
    (token,) = tokens_of(cast.tenant)
    machine = Client(headers={"Authorization": f"Bearer {clear_text}"})
    client = browser(cast.tenant, MemberRole.ADMIN)
    there = f"/o/{cast.tenant.slug}/tokens/{token.prefix}/revoke/"

    for _ in range(2):
        assert client.post(there).status_code == 302
    assert machine.post("/api/v1/logs", "x\n", content_type="text/plain").status_code == 401
    assert deeds_of(cast.tenant).count(("token.revoked", token.prefix)) == 1


@pytest.mark.parametrize(
    ("wish", "problem"),
    [
        ({"name": " ", "scope": "ingest"}, "Give it a name"),
        ({"name": "x" * 81, "scope": "ingest"}, "Give it a name"),
        ({"name": "x"}, "Say what it may do"),
        ({"name": "x", "scope": "everything"}, "Say what it may do"),
        ({"name": "taken", "scope": "read"}, "There is or was a token of this name"),
    ],
)
def test_what_can_not_be_made_is_said_in_words(
    cast: Cast, browser: Browser, wish: dict[str, str], problem: str
) -> None:
    client, there = browser(cast.tenant, MemberRole.ADMIN), f"/o/{cast.tenant.slug}/tokens/"
    client.post(there, {"name": "taken", "scope": "ingest"})
    answer = client.post(there, wish)

    assert answer.status_code == 422
    assert problem in answer.content.decode()
    assert len(tokens_of(cast.tenant)) == 1
