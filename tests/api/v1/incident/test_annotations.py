"""Annotations through REST: for whom they are, and their versions."""

from apps.incidents.models import Incident
from tests.cast.clients import member, token
from tests.cast.incidents import Cast


def _texts(asking: object, at: str) -> list[str]:
    return [each["text"] for each in asking.get(at).json()["results"]]  # type: ignore[attr-defined]


def test_only_the_audience_reads_an_annotation(cast: Cast, incident: Incident) -> None:
    at = f"incidents/{incident.public_id}/annotations/"
    operator = member(cast.operator)
    ours = operator.post(at, {"text": "ours"})
    operator.post(at, {"text": "for the vendor", "audience": [cast.vendor.slug]})
    operator.post(at, {"text": "for all", "all_parties": True})

    assert ours.status_code == 201
    assert ours.json()["audience"] == []
    assert _texts(operator, at) == ["ours", "for the vendor", "for all"]
    assert _texts(member(cast.vendor), at) == ["for the vendor", "for all"]
    assert _texts(member(cast.tenant), at) == ["for all"]


def test_the_audience_is_the_authors_business(cast: Cast, incident: Incident) -> None:
    at = f"incidents/{incident.public_id}/annotations/"
    names = [cast.vendor.slug, cast.tenant.slug]
    member(cast.operator).post(at, {"text": "x", "audience": names})

    (read,) = member(cast.vendor).get(at).json()["results"]
    assert read["audience"] is None
    assert read["organization"] == cast.operator.slug


def test_a_change_is_a_new_version_that_keeps_what_is_not_given(
    cast: Cast, incident: Incident
) -> None:
    at = f"incidents/{incident.public_id}/annotations/"
    operator = member(cast.operator)
    first = operator.post(at, {"text": "one", "lane": "gpu", "audience": [cast.vendor.slug]}).json()
    second = operator.send("PATCH", f"{at}{first['id']}/", {"text": "two"}).json()

    assert (second["version"], second["text"], second["lane"]) == (2, "two", "gpu")
    assert second["audience"] == [cast.vendor.slug]
    assert _texts(operator, at) == ["two"]
    assert _texts(operator, f"{at}{first['id']}/") == ["one", "two"]


def test_what_was_withdrawn_is_gone(cast: Cast, incident: Incident) -> None:
    at = f"incidents/{incident.public_id}/annotations/"
    operator = member(cast.operator)
    made = operator.post(at, {"text": "one"}).json()

    assert operator.send("DELETE", f"{at}{made['id']}/").status_code == 204
    assert _texts(operator, at) == []


def test_others_can_not_change_what_they_may_read(cast: Cast, incident: Incident) -> None:
    at = f"incidents/{incident.public_id}/annotations/"
    made = member(cast.operator).post(at, {"text": "one", "all_parties": True}).json()
    vendor = token(cast.vendor)

    assert vendor.send("PATCH", f"{at}{made['id']}/", {"text": "mine"}).status_code == 404
    assert vendor.send("DELETE", f"{at}{made['id']}/").status_code == 404


def test_a_stranger_can_not_be_named_and_is_not_confirmed(cast: Cast, incident: Incident) -> None:
    at = f"incidents/{incident.public_id}/annotations/"
    for slug in (cast.stranger.slug, cast.other_tenant.slug, "absent"):
        answer = member(cast.tenant).post(at, {"text": "x", "audience": [slug]})
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == "audience"


def test_what_a_client_may_not_set_is_refused(cast: Cast, incident: Incident) -> None:
    at = f"incidents/{incident.public_id}/annotations/"
    claimed = {
        "text": "x",
        "organization": cast.tenant.slug,
        "author": "somebody",
        "id": "NOTE-1",
        "version": 9,
        "created_at": "2001-01-01T00:00:00Z",
    }
    refused = member(cast.operator).post(at, claimed).json()

    assert {each["field"] for each in refused["errors"]} == set(claimed) - {"text"}


def test_nonsense_is_refused_field_by_field(cast: Cast, incident: Incident) -> None:
    at = f"incidents/{incident.public_id}/annotations/"
    backwards = {
        "text": "x",
        "starts_at": "2026-11-21T02:00:00Z",
        "ends_at": "2026-11-21T01:00:00Z",
    }
    asking = member(cast.operator)
    for body in ({}, {"text": " "}, {"text": "x" * 20_000}, backwards, [1], "x", None):
        answer = asking.post(at, body)
        assert (answer.status_code, answer.json()["status"]) == (400, 400)
    assert _texts(asking, at) == []
