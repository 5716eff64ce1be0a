"""Codes, devices and fields through REST: its holder reads them, nobody else does."""

import json
from typing import Any

import pytest

from apps.incidents.models import EvidenceItem, Incident, IncidentSnapshot
from apps.incidents.snapshots import evidence_then
from apps.incidents.timeline import append
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import member
from tests.cast.incidents import Cast, telling
from tests.cast.stopped_session import stopped_by_a_gpu

KEYS = ("signature", "code", "device", "host", "ranks", "fields")


def _read(organization: Organization, incident: Incident, what: str) -> list[dict[str, Any]]:
    answer = member(organization).get(f"incidents/{incident.public_id}/{what}/")
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


def _evidence(organization: Organization, incident: Incident) -> list[dict[str, Any]]:
    explanations = _read(organization, incident, "hypotheses")
    return [each for one in explanations for side in ("for", "against") for each in one[side]]


def test_the_operators_code_and_device_are_the_operators_alone(db: None) -> None:
    story = stopped_by_a_gpu()
    incident = story.incident()
    operator, tenant = story.people.operator, story.people.tenant
    held = [
        [*_evidence(each, incident), *_read(each, incident, "timeline")]
        for each in (operator, tenant)
    ]
    mine, theirs = ([each for each in one if each["code"]] for one in held)

    assert {each["signature"] for each in mine} == {"nvrm-xid-79"}
    assert all(each["code"] == {"xid": 79} for each in mine)
    assert {each["device"]["kind"] for each in mine} == {"gpu"}
    assert {each["host"] for each in mine} == {"gpu001"}
    assert all(each["fields"]["xid"] == "79" for each in mine)
    assert theirs == []
    assert all(set(KEYS) <= set(each) for each in [*held[0], *held[1]])
    address = mine[0]["device"]["pci"]
    assert address
    assert address not in json.dumps([each for each in held[1] if each["device"]])
    told = [each for each in held[1] if each["signature"]]
    assert {rank for each in told for rank in each["ranks"]} >= set(range(8))


def test_what_a_former_version_wrote_says_null(cast: Cast, incident: Incident) -> None:
    with organization_scope(*cast.ids):
        assert {row.fact for row in EvidenceItem.objects.all()} == {None}
        former = telling(cast.operator, "FORMER", detail={"host": "gpu001", "line": 7})
        append(incident=incident, tellings=[former], now=make.AT)

    (piece,) = _evidence(cast.operator, incident)
    story = _read(cast.operator, incident, "timeline")
    (entry,) = (each for each in story if each["title"] == "FORMER")

    assert [piece[name] for name in KEYS] == [None] * 6
    assert [entry[name] for name in KEYS] == [None, None, None, "gpu001", None, None]
    assert entry["detail"] == {"host": "gpu001", "line": 7}


def test_a_moment_told_by_a_former_version_and_again_is_shown_once_with_its_code(
    cast: Cast, incident: Incident
) -> None:
    where = {"host": "gpu001", "line": 7}
    now = where | {"code": {"xid": 79}, "device": None, "fields": {"xid": "79"}}
    with organization_scope(*cast.ids):
        for detail in (where, now, now):
            said = telling(cast.operator, "LOST", detail=detail)
            append(incident=incident, tellings=[said], now=make.AT)

    story = _read(cast.operator, incident, "timeline")
    assert [each["code"] for each in story if each["title"] == "LOST"] == [{"xid": 79}]


@pytest.mark.parametrize("what", ["hypotheses", "timeline"])
def test_what_machines_read_is_the_same_in_every_language(db: None, what: str) -> None:
    story = stopped_by_a_gpu()
    operator = story.people.operator
    there = f"/api/v1/o/{operator.slug}/incidents/{story.incident().public_id}/{what}/"
    client = member(operator).client

    korean = client.get(there, headers={"accept-language": "ko"})
    assert korean.status_code == 200
    assert korean.content == client.get(there).content


def test_evidence_of_who_left_before_is_read_without_facts() -> None:
    row = {"id": 7, "organization_id": 1, "cause": "gpu/gpu-off-bus", "side": "for", "text": "said"}
    (kept,) = evidence_then(snapshot=IncidentSnapshot(evidence=[row]))

    assert (kept.text, kept.fact) == ("said", None)


def test_a_file_that_is_handed_on_holds_codes_and_no_fields(db: None) -> None:
    story = stopped_by_a_gpu()
    asking = member(story.people.operator)
    answer = asking.get(f"incidents/{story.incident().public_id}/export.json")
    document = json.loads(answer.getvalue())
    pieces = [
        *document["timeline"],
        *(each for one in document["hypotheses"] for each in one["for"]),
    ]

    assert {"xid": 79} in [each["code"] for each in pieces]
    assert all("fields" not in each and "fields" not in each.get("detail", {}) for each in pieces)


def test_what_the_vendor_says_of_a_code_is_read_where_the_code_is_and_nowhere_else(
    db: None,
) -> None:
    story = stopped_by_a_gpu()
    incident = story.incident()
    mine = _read(story.people.operator, incident, "timeline")
    codes = [each["noticed_code"] for each in mine if each["noticed_code"]]
    assert {(each["kind"], each["code"], each["stops_job"]) for each in codes} == {
        ("xid", 79, True)
    }
    assert all((each["noticed_code"] is None) == (each["code"] is None) for each in mine)
    theirs = _read(story.people.tenant, incident, "timeline")
    assert theirs
    assert not [each for each in theirs if each["noticed_code"]]
