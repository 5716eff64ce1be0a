"""Parts in clusters by REST: for admins who are signed in."""

import pytest

from apps.tenancy.models import MemberRole
from tests.cast import make
from tests.cast.clients import Asking, member, token
from tests.cast.incidents import Cast


@pytest.fixture
def operator(cast: Cast) -> Asking:
    """Ask as an admin of the operator."""
    return member(cast.operator, MemberRole.ADMIN)


def wish(cast: Cast, **values: object) -> dict[str, object]:
    """Return an offer to the stranger."""
    return {
        "cluster": cast.cluster.slug,
        "organization": cast.stranger.slug,
        "part": "storage_vendor",
        **values,
    }


def test_a_part_is_offered_accepted_and_left(cast: Cast, operator: Asking) -> None:
    made = operator.post("proposals/", wish(cast))
    assert made.status_code == 201
    assert made.json()["layers"] == ["storage"]
    stranger = member(cast.stranger, MemberRole.ADMIN)
    there = f"clusters/{cast.cluster.slug}/"
    assert stranger.get(there).status_code == 404
    (received,) = stranger.get("proposals/").json()["results"]
    assert (received["by"], received["state"]) == (cast.operator.slug, "open")

    accepted = stranger.post(f"proposals/{received['id']}/accept/")
    assert accepted.json()["state"] == "accepted"
    assert stranger.get(there).json()["parts"] == ["storage_vendor"]
    listed = {each["id"]: each for each in stranger.get(f"{there}parties/").json()["results"]}
    assert listed[cast.stranger.slug]["parts"] == ["storage_vendor"]
    assert cast.tenant.slug not in listed
    assert stranger.send("DELETE", f"{there}parts/storage_vendor/").status_code == 204
    assert stranger.get(there).status_code == 404
    assert operator.get(f"proposals/{received['id']}/").json()["state"] == "accepted"


def test_a_slug_that_nobody_has_is_answered_like_one_that_is_there(
    cast: Cast, operator: Asking
) -> None:
    answers = [
        operator.post("proposals/", wish(cast, organization=slug))
        for slug in (cast.stranger.slug, "no-such-party")
    ]
    own = {"id", "to", "created_at", "expires_at"}
    seen = [{k: v for k, v in each.json().items() if k not in own} for each in answers]

    assert [each.status_code for each in answers] == [201, 201]
    assert seen[0] == seen[1]


def test_declining_and_taking_back(cast: Cast, operator: Asking) -> None:
    stranger = member(cast.stranger, MemberRole.ADMIN)
    first = operator.post("proposals/", wish(cast)).json()["id"]
    assert stranger.post(f"proposals/{first}/decline/").json()["state"] == "declined"
    second = operator.post("proposals/", wish(cast)).json()["id"]
    assert stranger.send("DELETE", f"proposals/{second}/").status_code == 404
    assert operator.send("DELETE", f"proposals/{second}/").status_code == 204
    for act in ("accept", "decline"):
        assert stranger.post(f"proposals/{second}/{act}/").status_code == 404
        assert operator.post(f"proposals/{second}/{act}/").status_code == 404


@pytest.mark.parametrize(
    ("changed", "status", "code"),
    [
        ({"organization": "no slug"}, 400, "invalid"),
        ({"part": "owner"}, 400, "invalid"),
        ({"layers": ["everything"]}, 400, "invalid"),
        ({"cluster": "elsewhere"}, 404, "not_found"),
        ({"kind": "withdrawal"}, 409, "lacks_part"),
    ],
)
def test_what_can_not_be_proposed_is_said(
    cast: Cast, operator: Asking, changed: dict[str, object], status: int, code: str
) -> None:
    answer = operator.post("proposals/", wish(cast, **changed))

    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_the_last_operator_stays(cast: Cast, operator: Asking) -> None:
    answer = operator.send("DELETE", f"clusters/{cast.cluster.slug}/parts/operator/")

    assert (answer.status_code, answer.json()["code"]) == (409, "last_operator")


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER, None])
def test_who_is_no_admin_and_any_token_is_refused(cast: Cast, role: MemberRole | None) -> None:
    asking = member(cast.operator, role) if role else token(cast.operator)

    assert asking.get("proposals/").status_code == 404
    assert asking.post("proposals/", wish(cast)).status_code == 404
    there = f"clusters/{cast.cluster.slug}/parts/operator/"
    assert asking.send("DELETE", there).status_code == 404


def test_a_tenant_offers_nothing(cast: Cast) -> None:
    make.participation(organization=cast.stranger, cluster=cast.cluster)
    asking = member(cast.tenant, MemberRole.ADMIN)

    assert asking.post("proposals/", wish(cast)).status_code == 404
