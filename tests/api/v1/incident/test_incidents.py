"""Incidents through REST, as each party reads them."""

import json
from datetime import timedelta
from typing import Any

import pytest

from apps.incidents.models import Incident
from apps.incidents.timeline import append
from apps.tenancy.models import TokenScope
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import member, token
from tests.cast.incidents import Cast, attempt_of, stop_of, telling

PUBLISHED = {
    *("id", "title", "status", "simulated", "started_at", "session", "cluster", "layer", "cause"),
    *("verdict_status", "probability", "culprits", "parties", "restart", "coverage", "url"),
}


def test_an_incident_carries_what_is_published(cast: Cast, incident: Incident) -> None:
    answer = member(cast.tenant).get(f"incidents/{incident.public_id}/")

    assert answer.status_code == 200
    told = answer.json()
    assert set(told) >= PUBLISHED
    assert told["id"] == incident.public_id
    assert told["started_at"] == "2026-11-21T02:00:00Z"
    assert told["cluster"] == cast.cluster.slug
    assert told["culprits"][0]["host"] == "gpu001"
    assert told["url"].endswith(f"/o/{cast.tenant.slug}/incidents/{incident.public_id}/")
    page = member(cast.tenant).client.get(f"/o/{cast.tenant.slug}/incidents/{told['id']}/")
    expected = f"Session {told['session']} stopped: a GPU on gpu001 fell off the bus"
    assert told["title"] == expected
    assert f"<h1>{told['title']}</h1>" in page.content.decode()


def test_a_vendor_reads_the_culprit_of_its_layer_but_no_session(
    cast: Cast, incident: Incident
) -> None:
    told = token(cast.vendor).get(f"incidents/{incident.public_id}/").json()

    assert told["culprits"][0]["host"] == "gpu001"
    assert told["session"] is None
    assert told["sessions"] == []
    assert "session" in told["hidden"]
    assert told["title"].startswith("A session stopped")


def test_the_list_goes_on_where_the_page_before_ended(cast: Cast) -> None:
    made = [stop_of(cast, attempt_of(cast, cast.tenant)).public_id for _ in range(5)]
    asking = token(cast.operator)
    seen, answer = [], asking.get("incidents/", limit=2).json()
    seen += [each["id"] for each in answer["results"]]
    answer = asking.client.get(answer["next"]).json()
    seen += [each["id"] for each in answer["results"]]
    answer = asking.client.get(answer["next"]).json()
    seen += [each["id"] for each in answer["results"]]

    assert answer["next"] is None
    assert seen == list(reversed(made))


def test_lists_are_narrowed_by_status_layer_and_time(cast: Cast, incident: Incident) -> None:
    asking = member(cast.tenant)
    later = (make.AT + timedelta(hours=1)).isoformat()

    def ids(**query: str) -> list[str]:
        return [each["id"] for each in asking.get("incidents/", **query).json()["results"]]

    assert ids(status="open", layer="gpu") == [incident.public_id]
    assert ids(status="resolved") == []
    assert ids(layer="network") == []
    assert ids(since=later) == []
    assert ids(until=later) == [incident.public_id]


def test_evidence_is_told_to_its_holder_and_counted_for_others(
    cast: Cast, incident: Incident
) -> None:
    answer = member(cast.tenant).get(f"incidents/{incident.public_id}/hypotheses/").json()

    (hypothesis,) = answer["results"]
    assert [item["text"] for item in hypothesis["for"]] == ["TENANT-WORDS"]
    assert hypothesis["held"] == [
        {
            "organization": cast.operator.slug,
            "side": "for",
            "layer": "gpu",
            "count": 1,
            "weight": 3.0,
            "claimed": False,
        }
    ]


def test_the_timeline_holds_ones_own_moments(cast: Cast, incident: Incident) -> None:
    answer = member(cast.operator).get(f"incidents/{incident.public_id}/timeline/").json()

    titles = [entry["title"] for entry in answer["results"]]
    assert "OPERATOR-MOMENT" in titles
    assert "TENANT-MOMENT" not in titles


def test_the_timeline_tells_no_number_of_a_row(cast: Cast) -> None:
    found = stop_of(cast, attempt_of(cast, cast.tenant))
    said = {"host": "gpu001", "reference": "stream:217/2"}
    with organization_scope(*cast.ids):
        told = [telling(cast.operator, "OPERATOR-LINE", detail=said)]
        append(incident=found, tellings=told, now=make.AT)

    answer = member(cast.operator).get(f"incidents/{found.public_id}/timeline/").json()
    exported = member(cast.operator).get(f"incidents/{found.public_id}/export.json")
    for story in (answer["results"], json.loads(exported.getvalue())["timeline"]):
        (line,) = (each for each in story if each["title"] == "OPERATOR-LINE")
        assert line["detail"] == {"host": "gpu001"}


def test_taking_note_twice_is_a_conflict(cast: Cast, incident: Incident) -> None:
    asking = member(cast.operator)
    first = asking.post(f"incidents/{incident.public_id}/acknowledge/")
    second = asking.post(f"incidents/{incident.public_id}/acknowledge/")

    assert first.status_code == 200
    assert first.json()["acknowledged_at"].endswith("Z")
    assert (second.status_code, second.json()["code"]) == (409, "already_handled")
    assert second["Content-Type"] == "application/problem+json"


def test_resolve_and_reopen(cast: Cast, incident: Incident) -> None:
    tenant, operator = member(cast.tenant), member(cast.operator)
    at = f"incidents/{incident.public_id}"
    fixed, again = {"reason": "fixed"}, {"reason": "came-back"}

    assert tenant.post(f"{at}/resolve/", fixed).json()["status"] == "resolved"
    assert operator.post(f"{at}/reopen/", again).json()["status"] == "open"
    assert operator.post(f"{at}/resolve/", fixed).status_code == 404


@pytest.mark.parametrize("body", [None, {}, {"reason": ""}, {"reason": "fixd"}])
def test_resolve_and_reopen_without_a_reason_name_the_field(
    body: Any, cast: Cast, incident: Incident
) -> None:
    tenant = member(cast.tenant)
    for act in ("resolve", "reopen"):
        answer = tenant.post(f"incidents/{incident.public_id}/{act}/", body)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
        assert [each["field"] for each in answer.json()["errors"]] == ["reason"]


def test_a_token_to_read_reads_and_does_nothing_else(cast: Cast, incident: Incident) -> None:
    asking = token(cast.operator, TokenScope.READ)

    assert asking.get(f"incidents/{incident.public_id}/").status_code == 200
    assert asking.post(f"incidents/{incident.public_id}/acknowledge/").status_code == 404


def test_hostile_paging_is_refused_or_clamped(cast: Cast, incident: Incident) -> None:
    asking = member(cast.tenant)

    assert asking.get("incidents/", limit="1000000000").status_code == 200
    for query in ({"limit": "-1"}, {"limit": "x"}, {"cursor": "x"}, {"cursor": "W10="}):
        answer = asking.get("incidents/", **query)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
