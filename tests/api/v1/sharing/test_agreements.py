"""Agreements by REST: read by members and tokens, proposed and answered by signed-in admins."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.tenancy.models import MemberRole, TokenScope
from tests.cast.agreements import agreed, proposed
from tests.cast.clients import Asking, member, token
from tests.cast.incidents import Cast

RULES: list[dict[str, Any]] = [
    {"data": "metrics:gpu", "level": "full", "where": "own-sessions", "keep_days": 30},
    {"data": "events:host", "level": "signal"},
]


@pytest.fixture
def operator(cast: Cast) -> Asking:
    """Ask as an admin of the operator."""
    return member(cast.operator, MemberRole.ADMIN)


@pytest.fixture
def tenant(cast: Cast) -> Asking:
    """Ask as an admin of the tenant."""
    return member(cast.tenant, MemberRole.ADMIN)


def wish(cast: Cast, **values: Any) -> dict[str, Any]:
    """Return terms for the tenant."""
    return {
        "cluster": cast.cluster.slug,
        "organization": cast.tenant.slug,
        "gives": {cast.operator.slug: RULES},
        **values,
    }


def waiting(cast: Cast) -> str:
    """Return an agreement whose first version waits for the tenant, now."""
    now = timezone.now()  # noqa: TID251  the requests read the clock, too
    return proposed(cast.operator, cast.tenant, cast.cluster, preset="open-book", now=now).public_id


def held(cast: Cast) -> str:
    """Return an agreement that holds now."""
    now = timezone.now()  # noqa: TID251  the requests read the clock, too
    return agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book", now=now).public_id


def test_terms_are_proposed_read_and_signed(cast: Cast, operator: Asking, tenant: Asking) -> None:
    made = operator.post("agreements/", wish(cast, note="for the pilot", former=0))
    assert made.status_code == 201
    assert made.json()["waits_for_us"] is False
    assert made.json()["current"] is None

    (listed,) = tenant.get("agreements/").json()["results"]
    assert (listed["organization"], listed["waits_for_us"]) == (cast.operator.slug, True)
    assert listed["waiting"]["note"] == "for the pilot"
    assert listed["waiting"]["gives"][cast.operator.slug] == [
        {**RULES[0], "purpose": "diagnosis"},
        {**RULES[1], "where": "cluster", "purpose": "diagnosis", "keep_days": None},
    ]
    signed = tenant.post(f"agreements/{listed['id']}/sign/", {"version": 1})

    assert signed.status_code == 200
    (version,) = signed.json()["versions"]
    assert version["state"] == "in_force"
    assert version["signed_by_person"]
    assert signed.json()["current"] == version
    assert signed.json()["waiting"] is None


def test_a_preset_stands_for_terms(cast: Cast, operator: Asking) -> None:
    made = operator.post("agreements/", wish(cast, gives=None, preset="joint-operations"))

    waits = made.json()["waiting"]
    assert waits["preset"] == "joint-operations"
    assert {rule["level"] for rule in waits["gives"][cast.operator.slug]} == {
        "full",
        "redacted",
        "signal",
    }


def test_it_is_declined_taken_back_and_ended(cast: Cast, operator: Asking, tenant: Asking) -> None:
    path = f"agreements/{waiting(cast)}/"
    no = tenant.post(f"{path}decline/", {"version": 1, "reason": "too much"}).json()
    assert no["versions"][0]["state"] == "declined"
    assert no["versions"][0]["end"]["organization"] == cast.tenant.slug
    assert no["versions"][0]["end"]["reason"] == "too much"

    operator.post("agreements/", wish(cast))
    back = operator.post(f"{path}take-back/", {"version": 2}).json()
    assert back["versions"][0]["state"] == "taken_back"

    operator.post("agreements/", wish(cast))
    tenant.post(f"{path}sign/", {"version": 3})
    ended = tenant.post(f"{path}revoke/", {"version": 3, "reason": "the contract ended"}).json()
    assert [each["state"] for each in ended["versions"]] == ["revoked", "taken_back", "declined"]
    assert ended["current"] is None


@pytest.mark.parametrize(
    ("act", "body"),
    [
        ("sign", {"version": 1}),
        ("decline", {"version": 1}),
        ("take-back", {"version": 1}),
        ("revoke", {"version": 2, "reason": "x"}),
    ],
)
def test_what_moved_meanwhile_is_a_conflict(
    cast: Cast, operator: Asking, tenant: Asking, act: str, body: dict[str, Any]
) -> None:
    path = f"agreements/{held(cast)}/"
    for asking in (operator, tenant):
        answer = asking.post(f"{path}{act}/", body)
        assert (answer.status_code, answer.json()["code"]) == (409, "agreement_moved")


def test_terms_over_a_version_that_was_not_read_are_a_conflict(
    cast: Cast, operator: Asking, tenant: Asking
) -> None:
    path = f"agreements/{waiting(cast)}/"
    answer = operator.post("agreements/", wish(cast, former=0))
    assert (answer.status_code, answer.json()["code"]) == (409, "agreement_moved")
    counter = {**wish(cast), "organization": cast.operator.slug}
    assert tenant.post("agreements/", {**counter, "former": 1}).status_code == 201
    assert [each["state"] for each in tenant.get(path).json()["versions"]] == [
        "proposed",
        "countered",
    ]


def test_the_same_key_proposes_once(cast: Cast, operator: Asking) -> None:
    first, second = (
        operator.post("agreements/", wish(cast), **{"Idempotency-Key": "once"}) for _ in range(2)
    )

    assert first.json() == second.json()
    assert second["Idempotent-Replayed"] == "true"
    assert len(operator.get(f"agreements/{first.json()['id']}/").json()["versions"]) == 1


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"preset": "open-book"}, "one of the two"),
        ({"gives": None}, "one of the two"),
        ({"gives": None, "preset": "opn-book"}, "did you mean"),
        ({"gives": {"nobody": []}}, "nobody is no side of it"),
        ({"gives": {"OPERATOR": [{"data": "metrics:gpu"}]}}, "[0]: level is missing"),
        ({"gives": {"OPERATOR": [{"data": "logs:gpu", "level": "full"}]}}, "logs:*"),
        ({"gives": {"OPERATOR": [{**RULES[1], "hosts": "x"}]}}, "hosts is unknown"),
        ({"gives": {"OPERATOR": "all"}}, "a list of rules is wanted"),
        ({"gives": []}, "gives"),
        ({"until": "2020-01-01T00:00:00Z"}, "in the past"),
        ({"rules": []}, "no such key"),
    ],
)
def test_what_can_not_be_proposed_is_said(
    cast: Cast, operator: Asking, changed: dict[str, Any], said: str
) -> None:
    named = json.loads(json.dumps(changed).replace("OPERATOR", cast.operator.slug))
    answer = operator.post("agreements/", wish(cast, **named))

    assert answer.status_code == 400, answer.json()
    assert answer["Content-Type"] == "application/problem+json"
    assert said in answer.json()["detail"]
    assert operator.get("agreements/").json()["results"] == []


def test_it_ends_at_the_day_that_was_agreed(cast: Cast, operator: Asking) -> None:
    until = timezone.now() + timedelta(days=90)  # noqa: TID251  the request reads it, too
    made = operator.post("agreements/", wish(cast, until=until.isoformat()))

    assert made.json()["waiting"]["until"] == until.isoformat().replace("+00:00", "Z")


def test_ending_it_needs_a_reason(cast: Cast, tenant: Asking) -> None:
    path = f"agreements/{held(cast)}/"
    for body in ({"version": 1}, {"version": 1, "reason": " "}):
        assert tenant.post(f"{path}revoke/", body).status_code == 400
    assert tenant.get(path).json()["current"]["version"] == 1


def test_tokens_and_members_read_and_admins_alone_act(cast: Cast) -> None:
    public_id = waiting(cast)
    readers = [member(cast.tenant, role) for role in (MemberRole.VIEWER, MemberRole.RESPONDER)]
    machines = [token(cast.tenant), token(cast.tenant, TokenScope.READ)]
    for asking in (*readers, *machines):
        assert asking.get(f"agreements/{public_id}/").json()["id"] == public_id
        assert len(asking.get("agreements/").json()["results"]) == 1
        # What is wrong with a body must not tell who may act.
        for body in ({"version": 1}, {"version": "x"}, None):
            for act in ("sign", "decline", "take-back", "revoke"):
                answer = asking.post(f"agreements/{public_id}/{act}/", body)
                assert answer.status_code == 404
        assert asking.post("agreements/", wish(cast)).status_code == 404
    assert token(cast.tenant, TokenScope.WRITE).get("agreements/").status_code == 404


def test_a_third_party_finds_nothing(cast: Cast) -> None:
    public_id = waiting(cast)
    for third in (cast.vendor, cast.other_tenant, cast.stranger):
        asking = member(third, MemberRole.ADMIN)
        assert asking.get("agreements/").json()["results"] == []
        assert asking.get(f"agreements/{public_id}/").status_code == 404
        for body in ({"version": 1}, {"version": "x"}):
            assert asking.post(f"agreements/{public_id}/sign/", body).status_code == 404


def test_whom_one_does_not_know_is_not_found(cast: Cast, tenant: Asking) -> None:
    answers = [
        tenant.post(
            "agreements/", {"cluster": cast.cluster.slug, "organization": slug, "gives": {}}
        )
        for slug in (cast.other_tenant.slug, "no-such-party", cast.tenant.slug)
    ]

    assert [each.status_code for each in answers] == [404, 404, 404]
    assert len({each.content for each in answers}) == 1
