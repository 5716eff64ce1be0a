"""Working on an incident together over REST: hand-overs, proposals to resolve, actions, verdict."""

import json
from typing import Any

import pytest

from apps.incidents.models import Incident
from apps.tenancy.models import AuditEntry, Organization, TokenScope
from apps.tenancy.scope import organization_scope
from tests.cast.clients import Asking, member, token
from tests.cast.incidents import Cast

PROPOSAL = {"reason": "your-layer", "text": "HAND-OVER-WORDS", "ticket": "OPS-17"}


@pytest.fixture
def at(incident: Incident) -> str:
    """Return where the incident is."""
    return f"incidents/{incident.public_id}/"


def handed(cast: Cast, at: str, **more: Any) -> str:
    """Let the operator propose to hand over to the vendor."""
    answer = member(cast.operator).post(
        f"{at}hand-overs/", {"to": cast.vendor.slug, **PROPOSAL, **more}
    )
    assert answer.status_code == 201, answer.content
    return str(answer.json()["id"])


def test_a_hand_over_goes_to_and_fro(cast: Cast, at: str) -> None:
    there = f"{at}hand-overs/{handed(cast, at)}/"
    operator, vendor, tenant = (member(each) for each in (cast.operator, cast.vendor, cast.tenant))
    steps: list[tuple[Asking, dict[str, str]]] = [
        (vendor, {"state": "information-needed", "text": "which port?"}),
        (operator, {"state": "proposed", "text": "port 4"}),
        (vendor, {"state": "accepted", "ticket": "RMA-4"}),
        (vendor, {"state": "returned", "reason": "work-done"}),
    ]
    for asking, body in steps:
        answer = asking.send("PATCH", there, body)
        assert (answer.status_code, answer.json()["state"]) == (200, body["state"])
    told = operator.get(there).json()
    assert (told["sender_ticket"], told["recipient_ticket"]) == ("OPS-17", "RMA-4")
    assert [each["text"] for each in told["steps"]] == [
        *("HAND-OVER-WORDS", "which port?", "port 4"), None, None,
    ]  # fmt: skip
    read = tenant.get(at).json()["work"]
    assert read["holder"] == cast.operator.slug
    assert [each["organization"] for each in read["hands"]] == [
        cast.operator.slug, cast.vendor.slug, cast.operator.slug,
    ]  # fmt: skip


def test_a_third_party_reads_that_it_was_and_none_of_the_words(cast: Cast, at: str) -> None:
    subject = handed(cast, at)
    tenant = member(cast.tenant)
    (told,) = tenant.get(f"{at}hand-overs/").json()["results"]
    assert (told["id"], told["sender_ticket"]) == (subject, "")
    assert [each["text"] for each in told["steps"]] == [None]
    for path in ("", "hand-overs/", "timeline/", "annotations/", "export.json", "export.csv"):
        answer = tenant.get(f"{at}{path}")
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert b"HAND-OVER-WORDS" not in body
        assert b"OPS-17" not in body


@pytest.mark.parametrize(
    ("who", "body", "status", "code"),
    [
        ("vendor", {"state": "proposed", "text": "x"}, 404, "not_found"),
        ("tenant", {"state": "accepted"}, 404, "not_found"),
        ("operator", {"state": "accepted"}, 404, "not_found"),
        ("vendor", {"state": "returned", "reason": "not-ours"}, 409, "already_handled"),
        ("vendor", {"state": "declined"}, 400, "invalid"),
        ("vendor", {"state": "information-needed"}, 400, "invalid"),
        ("vendor", {"state": "accept"}, 400, "invalid"),
        ("vendor", {}, 400, "invalid"),
    ],
)
def test_what_can_not_be_is_refused_clearly(
    who: str, body: dict[str, str], status: int, code: str, cast: Cast, at: str
) -> None:
    there = f"{at}hand-overs/{handed(cast, at)}/"
    answer = member(getattr(cast, who)).send("PATCH", there, body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_second_proposal_and_one_after_the_end_are_conflicts(cast: Cast, at: str) -> None:
    handed(cast, at)
    operator, tenant = member(cast.operator), member(cast.tenant)
    again = operator.post(f"{at}hand-overs/", {"to": cast.tenant.slug, **PROPOSAL})
    assert (again.status_code, again.json()["code"]) == (409, "hand_over_open")
    tenant.post(f"{at}resolve/", {"reason": "fixed"})
    late = operator.post(f"{at}hand-overs/", {"to": cast.tenant.slug, **PROPOSAL})
    assert (late.status_code, late.json()["code"]) == (409, "not_open")


def test_both_sides_and_the_owner_have_it_in_their_record(cast: Cast, at: str) -> None:
    subject = handed(cast, at)
    member(cast.vendor).send("PATCH", f"{at}hand-overs/{subject}/", {"state": "accepted"})
    for reader in (cast.operator, cast.vendor, cast.tenant):
        assert [each[0] for each in record(reader, subject)] == [
            *("hand_over.proposed", "hand_over.accepted"),
        ]
    others = [who for _, who in record(cast.tenant, subject)]
    assert others == [f"organization:{each.slug}" for each in (cast.operator, cast.vendor)]


def record(organization: Organization, subject: str) -> list[tuple[str, str]]:
    """Return (action, actor) of what an organization's record has of a hand-over."""
    with organization_scope(organization.pk):
        rows = AuditEntry.objects.for_organization(organization).filter(subject__contains=subject)
        return list(rows.order_by("sequence").values_list("action", "actor"))


def test_a_proposal_to_resolve_is_declined_and_then_resolved(cast: Cast, at: str) -> None:
    operator, tenant = member(cast.operator), member(cast.tenant)
    first = operator.post(f"{at}resolutions/", {"reason": "replaced"}).json()["id"]
    again = operator.post(f"{at}resolutions/", {"reason": "replaced"})
    assert (again.status_code, again.json()["code"]) == (409, "resolution_proposed")
    silent = tenant.send("PATCH", f"{at}resolutions/{first}/", {"state": "declined"})
    assert [each["field"] for each in silent.json()["errors"]] == ["text"]
    body = {"state": "declined", "text": "it still fails"}
    assert tenant.send("PATCH", f"{at}resolutions/{first}/", body).json()["waiting"] is False
    second = operator.post(f"{at}resolutions/", {"reason": "replaced"}).json()["id"]
    done = tenant.send("PATCH", f"{at}resolutions/{second}/", {"state": "resolved"})
    assert done.json()["state"] == "resolved"
    assert operator.get(at).json()["status"] == "resolved"
    own = tenant.post(f"{at}resolutions/", {"reason": "fixed"})
    assert own.status_code == 400


def test_actions_say_how_far_they_are_and_by_which_party(cast: Cast, at: str) -> None:
    operator, tenant = member(cast.operator), member(cast.tenant)
    (action,) = tenant.get(f"{at}actions/").json()["results"]
    assert (action["state"], action["by"]) == ("open", None)
    there = f"{at}actions/{action['id']}/"
    assert operator.send("PATCH", there, {"state": "refused"}).status_code == 400
    assert operator.send("PATCH", there, {"state": "taken"}).json()["state"] == "taken"
    assert tenant.send("PATCH", there, {"state": "done"}).status_code == 404
    assert tenant.get(at).json()["actions"][0]["by"] == cast.operator.slug


def test_a_dissent_is_in_the_header_and_in_every_format(cast: Cast, at: str) -> None:
    vendor, tenant = member(cast.vendor), member(cast.tenant)
    body = {"judgement": "wrong", "layer": "network", "cause": "link-down"}
    assert vendor.send("PUT", f"{at}feedback/", body).status_code == 200
    told = tenant.get(at).json()["verdict"]
    assert (told["state"], told["blamed"]) == ("contested", [cast.vendor.slug])
    (stance,) = told["stances"]
    assert (stance["stance"], stance["layer"], stance["cause"]) == (
        *("contests", "network"), "link-down",
    )  # fmt: skip
    document = json.loads(b"".join(tenant.get(f"{at}export.json").streaming_content))
    assert document["incident"]["verdict"]["state"] == "contested"
    for path in (f"{at}export.csv", "incidents/export.csv"):
        table = b"".join(tenant.get(path).streaming_content).decode()
        assert "contested" in table
        assert "link-down" in table


def test_a_token_hands_over_and_a_key_makes_it_once(cast: Cast, at: str) -> None:
    asking = token(cast.operator, TokenScope.READ, TokenScope.WRITE)
    body = {"to": cast.vendor.slug, **PROPOSAL}
    key = {"Idempotency-Key": "one"}
    first, second = (asking.post(f"{at}hand-overs/", body, **key) for _ in range(2))
    assert (first.status_code, second.json()) == (201, first.json())
