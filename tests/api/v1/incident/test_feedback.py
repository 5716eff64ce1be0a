"""Right or wrong through REST: for one's own organization, about the verdict that was looked at."""

from typing import Any

import pytest

from apps.incidents.models import Incident
from apps.tenancy.models import MemberRole, TokenScope
from tests.cast.clients import member, token
from tests.cast.incidents import Cast

WRONG = {"judgement": "wrong", "layer": "network", "cause": "link-down"}


def test_a_judgement_is_put_and_read_by_the_parties(cast: Cast, incident: Incident) -> None:
    at = f"incidents/{incident.public_id}/feedback/"
    tenant = member(cast.tenant)
    put = tenant.send("PUT", at, {**WRONG, "note": "port 4", "revision": incident.revision})

    assert put.status_code == 200
    assert put.json()["verdict"] | {"edition": ""} == {
        "revision": 1,
        "status": "likely",
        "layer": "gpu",
        "cause": "gpu-off-bus",
        "probability": 0.9,
        "cause_probability": 0.8,
        "edition": "",
    }
    for party in (cast.tenant, cast.operator, cast.vendor):
        (read,) = token(party).get(at).json()["results"]
        assert (read["organization"], read["layer"], read["cause"]) == (
            *(cast.tenant.slug, "network", "link-down"),
        )
    notes = f"incidents/{incident.public_id}/annotations/"
    assert [each["text"] for each in tenant.get(notes).json()["results"]] == ["port 4"]
    assert member(cast.operator).get(notes).json()["results"] == []


def test_putting_again_replaces_and_deleting_takes_back(cast: Cast, incident: Incident) -> None:
    at = f"incidents/{incident.public_id}/feedback/"
    tenant = token(cast.tenant)
    versions = [
        tenant.send("PUT", at, said).json()["version"]
        for said in (WRONG, WRONG, {"judgement": "right"})
    ]

    assert versions == [1, 1, 2]
    assert tenant.send("DELETE", at).status_code == 204
    assert tenant.send("DELETE", at).status_code == 404
    assert tenant.get(at).json()["results"] == []


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        ({}, 400, "invalid"),
        ({"judgement": "taken-back"}, 400, "invalid"),
        ({"judgement": "right", "layer": "gpu"}, 400, "invalid"),
        ({**WRONG, "cause": "gpu-off-bus"}, 400, "invalid"),
        ({**WRONG, "revision": 7}, 409, "verdict_moved"),
        ({**WRONG, "revision": -1}, 400, "invalid"),
        ({**WRONG, "note": "x", "audience": ["nobody"]}, 400, "invalid"),
    ],
)
def test_refusals(
    cast: Cast, incident: Incident, said: dict[str, Any], status: int, code: str
) -> None:
    at = f"incidents/{incident.public_id}/feedback/"
    answer = member(cast.tenant).send("PUT", at, said)

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert member(cast.tenant).get(at).json()["results"] == []


def test_who_may_only_read_does_not_judge(cast: Cast, incident: Incident) -> None:
    at = f"incidents/{incident.public_id}/feedback/"
    readers = [member(cast.tenant, MemberRole.VIEWER), token(cast.tenant, TokenScope.READ)]
    for reader in readers:
        assert reader.send("PUT", at, WRONG).status_code == 404
        assert reader.get(at).status_code == 200
    for outsider in (cast.other_tenant, cast.stranger):
        assert member(outsider).send("PUT", at, WRONG).status_code == 404


def test_accuracy_is_told_with_n_and_interval(cast: Cast, incident: Incident) -> None:
    empty = member(cast.vendor).get("accuracy/").json()
    assert (empty["overall"]["rate"], empty["overall"]["n"], empty["layers"]) == (None, 0, [])
    member(cast.tenant).send("PUT", f"incidents/{incident.public_id}/feedback/", WRONG)

    told = member(cast.vendor).get("accuracy/").json()

    (layer,) = told["layers"]
    assert layer["layer"] == "gpu"
    assert (layer["layer_right"]["hits"], layer["layer_right"]["n"]) == (0, 1)
    low, high = layer["layer_right"]["interval"]
    assert (low, round(high, 2)) == (0.0, 0.79)
    assert layer["layer_right"]["few"]
    assert sum(each["right"]["n"] for each in told["stated"]) == 1
    assert member(cast.stranger).get("accuracy/").json()["layers"] == []
