"""Keeping, opening, renaming, sharing and deleting a view on pages."""

import re

from django.test import Client

from apps.incidents.models import Incident
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.markup import one_line


def keep(client: Client, cast: Cast, **fields: str) -> str:
    """Keep a view of the operator's incidents and return its id."""
    sent = {"list": "incidents", "name": "GPU, open", "query": "status=open&layer=gpu", **fields}
    answer = client.post(f"/o/{cast.operator.slug}/saved-views/", sent)
    assert answer.status_code == 302
    found = re.search(r"view=(VIEW-\w+)", answer["Location"])
    return found[1] if found else ""


def act(client: Client, cast: Cast, view: str, button: str, **fields: str) -> int:
    """Press a button of a view and return the status."""
    path = f"/o/{cast.operator.slug}/saved-views/{view}/"
    return client.post(path, {"act": button, **fields}).status_code


def read(client: Client, cast: Cast, query: str = "view=all") -> str:
    """Return the list of incidents."""
    answer = client.get(f"/o/{cast.operator.slug}/incidents/?{query}", follow=True)
    return one_line(answer.content.decode())


def test_a_view_keeps_the_filter_and_not_the_place(cast: Cast, browser: Browser) -> None:
    client = browser(cast.operator)
    query = "status=open&cursor=abc&before=x&nonsense=1&layer=gpu"
    answer = client.post(
        f"/o/{cast.operator.slug}/saved-views/", {"list": "incidents", "name": "N", "query": query}
    )

    assert "?status=open&layer=gpu&view=VIEW-" in answer["Location"]


def test_a_kept_view_is_opened_renamed_and_deleted(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    client = browser(cast.operator)
    view = keep(client, cast)
    text = read(client, cast, f"status=open&layer=gpu&view={view}")
    assert "GPU, open" in text
    assert incident.public_id in text

    assert act(client, cast, view, "rename", name="Mine") == 302
    assert "Mine" in read(client, cast)
    assert act(client, cast, view, "delete") == 302
    assert view not in read(client, cast)


def test_the_list_opens_with_the_chosen_view_until_everything_is_asked_for(
    cast: Cast, browser: Browser
) -> None:
    client = browser(cast.operator)
    view = keep(client, cast, query="layer=network")
    act(client, cast, view, "default")
    there = f"/o/{cast.operator.slug}/incidents/"

    assert client.get(there)["Location"] == f"{there}?layer=network&view={view}"
    assert client.get(f"{there}?view=all").status_code == 200
    assert browser(cast.operator).get(there).status_code == 200


def test_a_colleague_opens_what_is_shared_and_changes_nothing(cast: Cast, browser: Browser) -> None:
    owner, colleague = browser(cast.operator), browser(cast.operator)
    view = keep(owner, cast)
    assert view not in read(colleague, cast)
    assert act(colleague, cast, view, "default") == 404

    act(owner, cast, view, "share")

    assert view in read(colleague, cast)
    assert act(colleague, cast, view, "delete") == 404
    assert act(colleague, cast, view, "default") == 302


def test_another_organization_finds_no_view(cast: Cast, browser: Browser) -> None:
    owner = browser(cast.operator)
    view = keep(owner, cast, shared="yes")
    outsider = browser(cast.stranger)

    assert act(outsider, cast, view, "delete") == 404
    answer = outsider.post(f"/o/{cast.stranger.slug}/saved-views/{view}/", {"act": "delete"})
    assert answer.status_code == 404
    assert view in read(owner, cast)


def test_a_name_that_is_none_says_so_and_keeps_nothing(cast: Cast, browser: Browser) -> None:
    client = browser(cast.operator)

    assert keep(client, cast, name=" ") == ""
    assert "A view needs a name" in read(client, cast)
    assert client.post(f"/o/{cast.operator.slug}/saved-views/", {"list": "x"}).status_code == 400
