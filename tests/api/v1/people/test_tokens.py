"""Tokens by REST: for admins who are signed in, and for no token."""

from datetime import datetime, timedelta

import pytest
from django.test import Client

from apps.tenancy.models import KeptAnswer, MemberRole, TokenScope
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import member, token
from tests.cast.incidents import Cast


def test_an_admin_makes_lists_and_revokes(cast: Cast) -> None:
    admin = member(cast.tenant, MemberRole.ADMIN)
    wish = {"name": "reports", "scopes": ["read"], "clusters": [cast.cluster.slug], "days": 30}
    made = admin.post("tokens/", wish)
    machine = Client(headers={"Authorization": f"Bearer {made.json()['token']}"})
    there = f"/api/v1/o/{cast.tenant.slug}/incidents/"

    assert made.status_code == 201
    assert made.json()["clusters"] == [cast.cluster.slug]
    assert machine.get(there).status_code == 200
    (listed,) = admin.get("tokens/").json()["results"]
    assert listed["id"] == made.json()["id"]
    assert listed["last_used_at"] is not None
    assert "token" not in listed
    for _ in range(2):
        assert admin.send("DELETE", f"tokens/{listed['id']}/").status_code == 204
    assert machine.get(there).status_code == 401
    assert admin.get(f"tokens/{listed['id']}/").json()["revoked_at"] is not None


@pytest.mark.parametrize(
    ("days", "lasts"), [({}, 90), ({"days": 30}, 30), ({"days": None}, None)], ids=str
)
def test_a_token_ends_unless_it_is_said_not_to(
    cast: Cast, days: dict[str, int | None], lasts: int | None
) -> None:
    admin = member(cast.tenant, MemberRole.ADMIN)
    made = admin.post("tokens/", {"name": "reports", "scopes": ["read"], **days}).json()
    began = datetime.fromisoformat(made["created_at"])
    ends = began + timedelta(days=lasts) if lasts else None

    assert made["expires_at"] == (ends and ends.isoformat().replace("+00:00", "Z"))


@pytest.mark.parametrize("scopes", [(TokenScope.WRITE,), tuple(TokenScope)])
def test_no_token_makes_tokens(cast: Cast, scopes: tuple[TokenScope, ...]) -> None:
    asking = token(cast.tenant, *scopes)

    assert asking.get("tokens/").status_code == 404
    assert asking.post("tokens/", {"name": "x", "scopes": ["read"]}).status_code == 404


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_who_is_no_admin_is_refused(cast: Cast, role: MemberRole) -> None:
    asking = member(cast.tenant, role)

    assert asking.get("tokens/").status_code == 404
    assert asking.post("tokens/", {"name": "x", "scopes": ["read"]}).status_code == 404


@pytest.mark.parametrize(
    ("wish", "status"),
    [
        ({}, 400),
        ({"name": " ", "scopes": ["read"]}, 400),
        ({"name": "x", "scopes": []}, 400),
        ({"name": "x", "scopes": ["all"]}, 400),
        ({"name": "x", "scopes": ["read"], "days": 0}, 400),
        ({"name": "x", "scopes": ["read"], "clusters": ["absent"]}, 404),
        ({"name": "taken", "scopes": ["read"]}, 409),
    ],
)
def test_what_can_not_be_made_is_said(cast: Cast, wish: dict[str, object], status: int) -> None:
    admin = member(cast.tenant, MemberRole.ADMIN)
    admin.post("tokens/", {"name": "taken", "scopes": ["read"]})
    answer = admin.post("tokens/", wish)

    assert answer.status_code == status
    assert answer["Content-Type"] == "application/problem+json"
    assert len(admin.get("tokens/").json()["results"]) == 1


def test_a_key_keeps_no_answer_with_a_secret(cast: Cast) -> None:
    admin = member(cast.tenant, MemberRole.ADMIN)
    wish = {"name": "x", "scopes": ["read"]}
    statuses = [
        admin.post("tokens/", wish, **{"Idempotency-Key": "k"}).status_code for _ in range(2)
    ]

    assert statuses == [201, 409]
    with organization_scope(cast.tenant.pk):
        assert not KeptAnswer.objects.exists()


def test_a_token_pasted_with_what_stands_around_it_works(cast: Cast) -> None:
    clear_text = make.token(organization=cast.tenant)
    for around in ("  {} ", "{}\t", '"{}"', "'{}' "):
        header = {"Authorization": "Bearer " + around.format(clear_text)}
        answer = Client(headers=header).get(f"/api/v1/o/{cast.tenant.slug}/incidents/")
        assert answer.status_code == 200


def test_a_token_pasted_in_pieces_is_told_how_one_looks(cast: Cast) -> None:
    clear_text = make.token(organization=cast.tenant)
    torn = f"{clear_text[:20]} {clear_text[20:]}"
    for presented in (torn, clear_text[:-1], f"Bearer {clear_text}", "$FAULTLINE_TOKEN"):
        answer = Client(headers={"Authorization": f"Bearer {presented}"}).get(
            f"/api/v1/o/{cast.tenant.slug}/incidents/"
        )
        assert answer.status_code == 401
        assert "Paste it again, in one piece" in answer.json()["detail"]
        assert clear_text[:12] not in answer.content.decode()
