"""The page of a session shows the states of its attempts as lanes, as rows, and by REST."""

from datetime import timedelta
from typing import Any

import pytest

from apps.fleet.models import Session
from apps.tenancy.scope import organization_scope
from tests.cast import clients
from tests.cast.pushes import Cast, cast
from tests.cast.scheduler_states import START, STORY, event, tell
from tests.web.conftest import Browser


def public_id(people: Cast) -> str:
    """Return the id of the only session."""
    with organization_scope(people.tenant.pk):
        return Session.objects.get().public_id


def page(people: Cast, browser: Browser, *, of: str = "tenant") -> str:
    """Return the session's page as a party reads it."""
    reader = getattr(people, of)
    answer = browser(reader).get(f"/o/{reader.slug}/sessions/{public_id(people)}/")
    assert answer.status_code == 200
    return str(answer.content.decode())


def told(people: Cast) -> None:
    """Tell of two attempts."""
    tell(people, STORY)
    tell(people, [event("PENDING", 20, attempt=2), event("RUNNING", 22, attempt=2)])


@pytest.mark.django_db
def test_lanes_rows_and_states_are_shown(browser: Browser) -> None:
    people = cast()
    told(people)
    text = page(people, browser)
    for part in (
        *("States over time", "lane-queue", "lane-run", "lane-unknown", "HIBERNATING"),
        *("2 attempts over time", "NEED_RETRY", "user-requested", f">{people.platform.name}<"),
        *("8 states as they were reported", "Not in the table of states"),
        "#1 Queue, PENDING, 2 min",
    ):
        assert part in text, part


@pytest.mark.django_db
@pytest.mark.parametrize("reader", ["platform", "operator"])
def test_who_runs_the_cluster_reads_the_same_lanes(browser: Browser, reader: str) -> None:
    people = cast()
    told(people)
    assert "8 states as they were reported" in page(people, browser, of=reader)


@pytest.mark.django_db
def test_another_tenant_finds_neither_page_nor_states(browser: Browser) -> None:
    people = cast()
    told(people)
    own = f"sessions/{public_id(people)}/"
    assert browser(people.other).get(f"/o/{people.other.slug}/{own}").status_code == 404
    asked = clients.token(people.other).get(f"{own}states/")
    assert asked.status_code == 404


@pytest.mark.django_db
def test_without_states_the_reported_times_are_drawn(browser: Browser) -> None:
    people = cast()
    bare = {key: value for key, value in STORY[3].items() if key != "scheduler_state"}
    tell(people, [bare | {"hosts": ["gpu001"]}])
    assert "States over time" not in page(people, browser)
    tell(people, [bare | {"state": "running"}])
    assert "lane-run" in page(people, browser)


@pytest.mark.django_db
def test_states_and_lanes_come_by_rest() -> None:
    people = cast()
    told(people)
    asked = clients.token(people.tenant).get(f"sessions/{public_id(people)}/states/")
    answer: Any = asked.json()
    assert [each["attempt"] for each in answer["attempts"]] == [1, 2]
    first = answer["attempts"][0]
    assert [each["lane"] for each in first["lanes"]] == ["queue", "start", "run", "unknown", "end"]
    assert [each["state"] for each in first["states"]] == [
        each["scheduler_state"] for each in STORY
    ]
    assert [each["known"] for each in first["states"]].count(False) == 1
    assert first["states"][-1]["reason"] == "user-requested"
    assert answer["attempts"][1]["lanes"][-1]["ends_at"] is None
    ends = START + timedelta(minutes=12)
    assert first["lanes"][-1]["ends_at"] == ends.isoformat().replace("+00:00", "Z")
