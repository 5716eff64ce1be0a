"""How one shows who one is, and what each role and scope may do."""

import base64
from datetime import timedelta

import pytest
from django.test import Client

from apps.incidents.models import Incident
from apps.tenancy import credentials
from apps.tenancy.models import MemberRole, Organization, TokenScope
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import Asking, member, token
from tests.cast.incidents import Cast


def _with(organization: Organization, header: str) -> Asking:
    return Asking(organization, Client(headers={"Authorization": header}))


def _basic(words: str) -> str:
    return "Basic " + base64.b64encode(words.encode()).decode()


def test_a_token_is_taken_as_bearer_and_as_password(cast: Cast, incident: Incident) -> None:
    clear_text = make.token(organization=cast.tenant)
    for header in (f"Bearer {clear_text}", f"bearer {clear_text}", _basic(f"any:{clear_text}")):
        assert _with(cast.tenant, header).get("incidents/").status_code == 200


@pytest.mark.parametrize(
    "header", ["Bearer x", "Bearer ", "Basic", "Basic %%%", _basic("a:b"), "Bearer flt_a_b"]
)
def test_a_bad_token_is_told_so_whatever_exists(cast: Cast, header: str) -> None:
    for slug in (cast.tenant.slug, "absent"):
        answer = Client(headers={"Authorization": header}).get(f"/api/v1/o/{slug}/incidents/")

        assert answer.status_code == 401
        assert answer["WWW-Authenticate"].startswith("Bearer")
        assert answer["Content-Type"] == "application/problem+json"


def test_a_scheme_nobody_knows_is_nobody(cast: Cast) -> None:
    assert _with(cast.tenant, "Digest x").get("incidents/").status_code == 404


def test_a_revoked_token_ends_at_once(cast: Cast) -> None:
    with organization_scope(cast.tenant.pk):
        issued = credentials.issue(
            organization=cast.tenant,
            name="short",
            scopes=frozenset({TokenScope.READ}),
            now=make.AT,
        )
    asking = _with(cast.tenant, f"Bearer {issued.clear_text}")
    assert asking.get("incidents/").status_code == 200
    with organization_scope(cast.tenant.pk):
        credentials.revoke(token=issued.token, now=make.AT + timedelta(seconds=1))

    assert asking.get("incidents/").status_code == 401


def test_a_cookie_writes_only_with_its_csrf_token(cast: Cast, incident: Incident) -> None:
    client = Client(enforce_csrf_checks=True)
    user = make.user(organization=cast.tenant)
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    at = f"incidents/{incident.public_id}/acknowledge/"

    refused = Asking(cast.tenant, client).post(at)
    assert refused.status_code == 403
    assert refused["Content-Type"] == "application/problem+json"
    assert token(cast.tenant).post(at).status_code == 200


# Who → what may be read, written, managed.
WHO = {
    "viewer": (True, False, False),
    "responder": (True, True, False),
    "admin": (True, True, True),
    "read": (True, False, False),
    "read write": (True, True, False),
    "write": (False, False, False),  # an answer is a reading, too
    "ingest": (False, False, False),
}


def _ask_as(who: str, organization: Organization) -> Asking:
    if who in set(MemberRole):
        return member(organization, MemberRole(who))
    return token(organization, *(TokenScope(word) for word in who.split()))


@pytest.mark.parametrize("who", WHO)
def test_each_role_and_scope_does_what_it_may_and_no_more(
    who: str, cast: Cast, incident: Incident
) -> None:
    reads, writes, manages = WHO[who]
    asking = _ask_as(who, cast.vendor)
    at = f"incidents/{incident.public_id}"
    source = {"cluster": cast.cluster.slug, "name": "m", "url": "https://metrics.example"}

    read = [asking.get(path).status_code == 200 for path in ("incidents/", f"{at}/", "clusters/",
            "nodes/", "sessions/", "sources/", f"{at}/timeline/", "incidents/export")]  # fmt: skip
    wrote = [
        asking.post(f"{at}/annotations/", {"text": "x"}).status_code == 201,
        asking.post(f"{at}/acknowledge/").status_code == 200,
        asking.post(f"{at}/resolve/", {"reason": "fixed"}).status_code == 200,
        asking.post(f"{at}/reopen/", {"reason": "came-back"}).status_code == 200,
    ]
    managed = asking.post("sources/", source).status_code == 201

    assert set(read) == {reads}
    assert set(wrote) == {writes}
    assert managed is manages


def test_a_method_in_a_header_is_ignored(cast: Cast, incident: Incident) -> None:
    at = f"incidents/{incident.public_id}/annotations/"
    asking = member(cast.operator)
    made = asking.post(at, {"text": "x"}).json()
    asking.post(f"{at}{made['id']}/", None, **{"X-HTTP-Method-Override": "DELETE"})

    assert len(asking.get(at).json()["results"]) == 1


def test_a_body_larger_than_anything_taken_is_refused(cast: Cast, incident: Incident) -> None:
    at = f"incidents/{incident.public_id}/annotations/"
    answer = member(cast.operator).post(at, {"text": "x" * (2**20)})

    assert (answer.status_code, answer.json()["code"]) == (413, "too_big")


@pytest.mark.parametrize("body", ["[" * 100_000, '{"text": NaN}', "{", '{"text": "a\\u0000"}'])
def test_a_body_that_is_no_json_is_refused(cast: Cast, incident: Incident, body: str) -> None:
    path = f"/api/v1/o/{cast.operator.slug}/incidents/{incident.public_id}/annotations/"
    client = member(cast.operator).client
    answer = client.post(path, body, content_type="application/json")

    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
