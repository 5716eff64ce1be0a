"""Changes for who gets no stream: asked one by one, as its organization may know of them."""

import pytest
from django.test import Client

from apps.incidents.models import Incident
from apps.tenancy.changes.announcements import announce
from apps.tenancy.models import Organization, Topic
from tests.cast.incidents import Cast
from tests.web.conftest import Browser


def _asked(client: Client, organization: Organization, **query: str) -> dict[str, object]:
    answer = client.get(f"/o/{organization.slug}/live/changes/", query)
    assert answer["Cache-Control"] == "private, no-store"
    told: dict[str, object] = answer.json()
    return told


def _say(incident: Incident, *readers: Organization) -> None:
    announce(topic=Topic.INCIDENT, subject=incident.pk, readers=[each.pk for each in readers])


def test_what_came_since_is_told_once(cast: Cast, incident: Incident, browser: Browser) -> None:
    client = browser(cast.operator)
    _say(incident, cast.operator)
    told = _asked(client, cast.operator, after="at-1")
    assert incident.public_id in str(told["events"])
    again = _asked(client, cast.operator, after=str(told["mark"]))
    assert again == {"state": "ok", "mark": told["mark"], "events": []}


def test_a_party_for_whom_it_does_not_exist_gets_the_same_answer_as_when_nothing_happened(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    client = browser(cast.stranger)
    before = _asked(client, cast.stranger, after="at-1")
    _say(incident, cast.operator, cast.stranger)
    after = _asked(client, cast.stranger, after="at-1")
    assert before["events"] == after["events"] == []
    assert before["state"] == after["state"]


@pytest.mark.parametrize("kind", ["stream", "changes"])
def test_outsiders_find_neither(cast: Cast, browser: Browser, kind: str) -> None:
    client = browser(cast.vendor)
    assert client.get(f"/o/{cast.operator.slug}/live/{kind}/").status_code == 404
    assert client.get(f"/o/{cast.vendor.slug}/live/{kind}/").status_code in {200, 204}


@pytest.mark.parametrize("mark", ["gone", "at-", "at-x", "at-99999999999999", "x" * 400])
def test_a_mark_that_means_nothing_breaks_nothing(cast: Cast, browser: Browser, mark: str) -> None:
    told = _asked(browser(cast.operator), cast.operator, after=mark)
    assert told["events"] == []


@pytest.mark.parametrize(
    ("path", "topics"),
    [
        ("", "incident annotation session source warning sharing"),
        ("incidents/", "incident annotation sharing"),
        ("sessions/", "session incident sharing"),
        ("sources/", "source"),
        ("warnings/", "warning incident sharing"),
    ],
)
def test_pages_say_of_what_they_hear(cast: Cast, browser: Browser, path: str, topics: str) -> None:
    page = browser(cast.operator).get(f"/o/{cast.operator.slug}/{path}").content.decode()
    assert f'data-topics="{topics}"' in page
    assert f"/o/{cast.operator.slug}/live/stream/" in page
