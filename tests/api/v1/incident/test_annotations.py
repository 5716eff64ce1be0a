"""Annotations through REST: for whom they are, and their versions."""

import pytest

from apps.incidents.models import Incident
from apps.tenancy.models import MemberRole
from tests.cast.clients import Asking, member, token
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


def test_of_what_was_withdrawn_the_words_are_gone(cast: Cast, incident: Incident) -> None:
    at = f"incidents/{incident.public_id}/annotations/"
    operator = member(cast.operator)
    made = operator.post(at, {"text": "one", "audience": [cast.vendor.slug]}).json()

    assert operator.send("DELETE", f"{at}{made['id']}/").status_code == 204
    (read,) = member(cast.vendor).get(at).json()["results"]
    assert (read["text"], read["withdrawn"]) == ("", True)
    assert _texts(member(cast.vendor), f"{at}{made['id']}/") == [""]
    assert _texts(operator, f"{at}{made['id']}/") == ["one", ""]


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


def test_a_reply_goes_to_those_who_read_what_it_answers(cast: Cast, incident: Incident) -> None:
    at = f"incidents/{incident.public_id}/annotations/"
    first = member(cast.operator).post(at, {"text": "one", "audience": [cast.vendor.slug]}).json()
    answer = member(cast.vendor).post(
        at, {"text": "two", "answers": first["id"], "all_parties": True}
    )
    assert (answer.status_code, answer.json()["answers"]) == (201, first["id"])
    assert _texts(member(cast.operator), at) == ["one", "two"]
    assert _texts(member(cast.tenant), at) == []
    beyond = {"text": "x", "answers": first["id"], "audience": [cast.tenant.slug]}
    refused = member(cast.vendor).post(at, beyond)
    assert refused.json()["errors"][0]["field"] == "audience"
    absent = member(cast.tenant).post(at, {"text": "x", "answers": first["id"]})
    assert absent.json()["errors"][0]["field"] == "answers"


def test_a_party_that_does_not_read_it_can_not_be_mentioned(cast: Cast, incident: Incident) -> None:
    at = f"incidents/{incident.public_id}/annotations/"
    text = f"@{cast.vendor.slug} look"
    refused = member(cast.operator).post(at, {"text": text})
    assert refused.status_code == 400
    assert f"@{cast.vendor.slug}" in refused.json()["errors"][0]["detail"]
    made = member(cast.operator).post(at, {"text": text, "audience": [cast.vendor.slug]})
    assert made.json()["mentions"] == [cast.vendor.slug]


def test_who_changes_what_was_changed_meanwhile_gets_what_stands(
    cast: Cast, incident: Incident
) -> None:
    at = f"incidents/{incident.public_id}/annotations/"
    operator = member(cast.operator)
    first = operator.post(at, {"text": "one"}).json()
    where = f"{at}{first['id']}/"
    assert operator.send("PATCH", where, {"text": "two", "version": 1}).status_code == 200

    late = operator.send("PATCH", where, {"text": "mine", "version": 1})
    assert (late.status_code, late.json()["code"]) == (409, "already_changed")
    assert (late.json()["current"]["text"], late.json()["current"]["version"]) == ("two", 2)
    assert _texts(operator, at) == ["two"]


def test_a_person_reads_what_is_new_and_a_token_is_no_person(
    cast: Cast, incident: Incident
) -> None:
    at = f"incidents/{incident.public_id}/annotations/"
    reader, machine = member(cast.vendor, MemberRole.VIEWER), token(cast.vendor)
    member(cast.operator).post(at, {"text": "one", "audience": [cast.vendor.slug]})

    def unread(asking: Asking) -> list[bool | None]:
        return [each["unread"] for each in asking.get(at).json()["results"]]

    assert (unread(reader), unread(machine)) == ([True], [None])
    assert reader.post(f"{at}read/", {}).json() == {"read": 1}
    assert unread(reader) == [False]
    assert machine.post(f"{at}read/", {}).status_code == 404
    stranger = member(cast.stranger).post(f"{at}read/", {})
    assert stranger.status_code == 404


def test_no_organization_writes_more_than_there_may_be(
    cast: Cast, incident: Incident, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.incidents.annotations.COUNT_LIMIT", 1)
    at = f"incidents/{incident.public_id}/annotations/"
    operator = member(cast.operator)
    operator.post(at, {"text": "one"})
    refused = operator.post(at, {"text": "two"})
    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_annotations")
