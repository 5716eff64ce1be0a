"""Kept views through REST: people's own, and no token's."""

from typing import Any

import pytest

from tests.cast.clients import Asking, member, token
from tests.cast.incidents import Cast

ENTRY = {"list": "incidents", "name": "GPU, open", "query": "status=open&layer=gpu"}


def kept(asking: Asking, **fields: Any) -> Any:
    """Keep a view and return it."""
    answer = asking.post("saved-views/", {**ENTRY, **fields})
    assert answer.status_code == 201
    return answer.json()


def listed(asking: Asking) -> list[str]:
    """Return the names of the views that somebody may open."""
    return [each["name"] for each in asking.get("saved-views/").json()["results"]]


def test_a_view_is_kept_changed_and_deleted(cast: Cast) -> None:
    asking = member(cast.tenant)
    view = kept(asking)
    place = f"saved-views/{view['id']}/"
    changed = asking.send("PATCH", place, {"name": "Mine", "default": True}).json()

    assert (changed["name"], changed["default"], changed["shared"]) == ("Mine", True, False)
    assert asking.send("PATCH", place, {"default": False}).json()["default"] is False
    assert asking.send("DELETE", place).status_code == 204
    assert asking.get(place).status_code == 404


def test_a_colleague_reads_what_is_shared_and_changes_nothing(cast: Cast) -> None:
    owner, colleague = member(cast.tenant), member(cast.tenant)
    view = kept(owner)
    place = f"saved-views/{view['id']}/"
    assert listed(colleague) == []
    assert colleague.get(place).status_code == 404

    owner.send("PATCH", place, {"shared": True})

    assert listed(colleague) == ["GPU, open"]
    assert colleague.send("PATCH", place, {"name": "Theirs"}).status_code == 404
    assert colleague.send("DELETE", place).status_code == 404


def test_neither_a_token_nor_another_organization_has_any(cast: Cast) -> None:
    view = kept(member(cast.tenant), shared=True)

    assert token(cast.tenant).get("saved-views/").status_code == 404
    assert listed(member(cast.operator)) == []
    assert member(cast.operator).get(f"saved-views/{view['id']}/").status_code == 404


def test_what_can_not_be_kept_is_refused(cast: Cast) -> None:
    asking = member(cast.tenant)
    kept(asking)
    other = kept(asking, name="Other")

    assert asking.post("saved-views/", {**ENTRY, "list": "incident"}).status_code == 400
    assert asking.post("saved-views/", {**ENTRY, "name": " "}).status_code == 400
    answer = asking.send("PATCH", f"saved-views/{other['id']}/", {"name": "GPU, open"})
    assert answer.status_code == 400


def test_what_is_too_long_is_refused_and_not_cut(cast: Cast) -> None:
    asking = member(cast.tenant)
    long = "state=open&name=" + "é" * 200  # within 1,000 letters until it is written
    answer = asking.post("saved-views/", {**ENTRY, "query": long})
    assert (answer.status_code, [each["field"] for each in answer.json()["errors"]]) == (
        400,
        ["query"],
    )
    sent = {"list": "sessions", "name": "Long", "query": long}
    asking.client.post(f"/o/{cast.tenant.slug}/saved-views/", sent)
    assert listed(asking) == []


@pytest.mark.parametrize(
    "query",
    [
        "layer=gpu\r\nSet-Cookie: a=b",
        "layer=gpu#view=all",
        "&" * 1000,
        "name=" + "é" * 150,
        '"><script>alert(1)</script>=1',
    ],
)
def test_whatever_a_view_asks_for_its_address_leads_to_the_list(cast: Cast, query: str) -> None:
    owner, colleague = member(cast.tenant), member(cast.tenant)
    view = kept(owner, query=query, shared=True)
    assert len(view["query"]) <= 1000
    place = f"/o/{cast.tenant.slug}/saved-views/{view['id']}/"

    answer: Any = colleague.client.post(place, {"act": "default"})

    assert answer.status_code == 302
    led_to = answer["Location"]
    assert led_to.endswith(f"view={view['id']}")
    assert not set(led_to) & set('\r\n#<>"')
    assert colleague.client.get(led_to).status_code == 200
