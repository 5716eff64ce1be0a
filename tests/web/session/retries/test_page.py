"""The page of a session shows its retry chains, a crash loop, advice, and its recoveries."""

import re

import pytest

from apps.fleet.models import Session
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import Cast, cast
from tests.cast.retry_stories import story
from tests.web.conftest import Browser


def page(people: Cast, browser: Browser, *, of: str = "tenant") -> str:
    """Return the session's page as a party reads it."""
    with organization_scope(people.tenant.pk):
        session = Session.objects.get()
    reader = getattr(people, of)
    answer = browser(reader).get(f"/o/{reader.slug}/sessions/{session.public_id}/")
    assert answer.status_code == 200
    return str(answer.content.decode())


@pytest.mark.django_db
def test_four_starts_without_a_newer_checkpoint_are_a_crash_loop(browser: Browser) -> None:
    people = cast()
    story(people, saves=(100, None, None, None))
    text = page(people, browser)
    for told in (
        "After #1: 3 automatic retries",
        "did not get past the stop",
        "Crash loop: by attempt 4, 3 retries ended without a newer checkpoint.",
        "They took 96 GPU-hours.",
        "11 min",
        "do not start it again as it was",
        "#4 none",
    ):
        assert told in text, told


@pytest.mark.django_db
def test_a_newer_checkpoint_is_progress_and_no_loop(browser: Browser) -> None:
    people = cast()
    story(people, saves=(100, None, None, 140))
    text = page(people, browser)
    assert "got past the stop" in text
    assert "#4 a newer checkpoint" in text
    assert "Crash loop" not in text


@pytest.mark.django_db
def test_each_recovery_is_divided_and_says_what_nobody_told(browser: Browser) -> None:
    people = cast()
    story(people, saves=(100, None))
    text = page(people, browser)
    # 11 min of queue, 30 s until the load, a minute of it, 10 s to the first step.
    for told in ("From #1 to #2", "Requeue 11 min", "Start 30 s", "Load checkpoint 60 s"):
        assert told in text, told
    assert "Nobody told: the failure itself" in text
    assert "stage-first-step" in text


@pytest.mark.django_db
def test_others_see_begins_and_ends_and_no_progress(browser: Browser) -> None:
    people = cast()
    story(people, saves=(100, 140))
    with organization_scope(people.tenant.pk):
        session = Session.objects.get()
    other = browser(people.other).get(f"/o/{people.other.slug}/sessions/{session.public_id}/")
    assert other.status_code == 404


@pytest.mark.django_db
def test_saves_loads_and_parts_of_recoveries_stand_on_the_axis_of_the_states(
    browser: Browser,
) -> None:
    people = cast()
    story(people, saves=(100, None))
    lanes = page(people, browser).partition('id="lifecycle"')[2].partition("</section>")[0]
    for told in (
        *("lane-save", "lane-recovery", "stage-requeue", "stage-load"),
        *("#2 Requeue, 11 min", "#2 Load checkpoint, 60 s", "#2 Load at step"),
        "2 attempts over time",
    ):
        assert told in lanes, told
    # A recovery leads to an attempt and is none of it: the number stands where that began.
    places = dict(re.findall(r'class="attempt-number" x="([0-9.]+)" y="16">(#[0-9])<', lanes))
    begin = re.search(r'stage-requeue.*?x="([0-9.]+)"', lanes, re.DOTALL)
    assert begin is not None
    assert float({number: x for x, number in places.items()}["#2"]) > float(begin[1])
    vendor = page(people, browser, of="operator").partition('id="lifecycle"')[2]
    assert "lane-save" not in vendor.partition("</section>")[0]  # the tenant's log stays its own
