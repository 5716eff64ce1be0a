"""`GET /api/v1/o/<organization>/search/`."""

import pytest

from apps.incidents.models import Incident
from tests.cast.clients import member, token
from tests.cast.incidents import Cast


def test_what_one_may_read_is_found_by_kind(cast: Cast, incident: Incident) -> None:
    answer = token(cast.tenant).get("search/", q="gpu-off-bus").json()

    found = {group["kind"]: [hit["id"] for hit in group["hits"]] for group in answer["groups"]}
    assert found["incident"] == [incident.public_id]
    assert found["cause"] == ["gpu-off-bus"]
    assert answer["lines"] == {"line_count": 0, "whole": True, "reached": None}


def test_another_organization_finds_nothing_of_it(cast: Cast, incident: Incident) -> None:
    answer = token(cast.stranger).get("search/", q=incident.public_id).json()

    assert answer["groups"] == []
    path = f"/api/v1/o/{cast.tenant.slug}/search/?q=x1"
    assert member(cast.stranger).client.get(path).status_code == 404


@pytest.mark.parametrize(("typed", "said"), [("x", "two letters"), ("xid:gpu", "number")])
def test_what_can_not_be_answered_is_refused(cast: Cast, typed: str, said: str) -> None:
    answer = token(cast.tenant).get("search/", q=typed)

    assert answer.status_code == 400
    assert said in answer.json()["errors"][0]["detail"]


def test_without_a_question_it_is_refused(cast: Cast) -> None:
    assert token(cast.tenant).get("search/").status_code == 400
