"""The page of a session shows an attempt that lost GPUs and runs on, and never as healthy."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from time_machine import TimeMachineFixture

from apps.fleet.models import Attempt, Session
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import Cast, cast, push_json
from tests.cast.recovery_events import (
    BEGAN,
    PATH,
    SESSION,
    began,
    committed,
    lost,
    story,
    tell,
)
from tests.web.conftest import Browser


def running(people: Cast) -> None:
    """Let the platform tell that the session runs."""
    told = {
        "scheduler": "slurm",
        "session": SESSION,
        "project": "solar",
        "state": "running",
        "at": BEGAN.isoformat(),
        "hosts": ["gpu001", "gpu002"],
        "world_size": 64,
    }
    assert (
        push_json("/api/v1/session-events", people.token(people.platform), told).status_code == 200
    )


def read(people: Cast, browser: Browser, *, of: str = "tenant", path: str = "session") -> str:
    """Return a page as a party reads it."""
    reader: Organization = getattr(people, of)
    with organization_scope(people.tenant.pk):
        session = Session.objects.get()
    where = {"session": f"sessions/{session.public_id}/", "list": "sessions/", "home": ""}[path]
    answer = browser(reader).get(f"/o/{reader.slug}/{where}")
    assert answer.status_code == 200
    return " ".join(str(answer.content.decode()).split())


@pytest.mark.django_db
def test_the_lane_the_steps_and_what_running_on_was_worth_are_shown(browser: Browser) -> None:
    people = cast()
    running(people)
    tell(people, [*story(), began(restart_seconds=600, checkpoint_every_steps=50)])
    text = read(people, browser)
    for told in (
        *("Recovery while running", "degraded: runs on 56 of 64 GPUs", "56 of 64", "820 ms"),
        *("llama-dp3 is gone, 8 GPUs", "in step 60, gradient-sync", "0 in 80 steps", "128"),
        *("Communicator repaired: 8 to 7 members", "Beside restarts", "alive is-degraded"),
        *("with a restart at each loss, worked out", "No jump of the training loss within 5 steps"),
    ):
        assert told in text, told
    assert "hidden by policy" not in text


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["list", "home"])
def test_no_list_shows_it_as_running_alone(browser: Browser, path: str) -> None:
    people = cast()
    running(people)
    assert "state-running" in read(people, browser, path=path)
    tell(people, story())
    for of in ("tenant", "platform", "operator"):
        text = read(people, browser, of=of, path=path)
        assert "state-degraded" in text
        assert "degraded: runs on 56 of 64 GPUs" in text
        assert "state-running" not in text
        assert "is running on" not in text


@pytest.mark.django_db
def test_a_violation_is_listed_at_its_step(browser: Browser) -> None:
    people = cast()
    running(people)
    events = [each for each in story() if each.get("step") != 70]
    tell(people, [*events, committed(70, survivors=7, microbatches=127)])
    text = read(people, browser)
    assert "1 step is not what it would have been without the loss." in text
    assert "other number of microbatches than due" in text
    assert ">127<" in text


@pytest.mark.django_db
def test_a_jump_of_the_training_loss_is_told_to_its_tenant_alone(browser: Browser) -> None:
    people = cast()
    running(people)
    events: list[dict[str, Any]] = story(steps=61)
    tell(people, [*events, *(committed(step, survivors=7, loss=4.5) for step in range(62, 70))])
    assert "The training loss jumped to 4.5 in step 62" in read(people, browser)
    for of in ("platform", "operator"):
        assert "4.5" not in read(people, browser, of=of)


@pytest.mark.django_db
def test_what_is_not_told_is_said_and_not_shown_as_nothing(
    browser: Browser, time_machine: TimeMachineFixture
) -> None:
    time_machine.move_to(BEGAN + timedelta(minutes=30))
    people = cast()
    told = [
        {"event": "step_committed", "at": (BEGAN + timedelta(seconds=9)).isoformat(), "step": 9}
    ]
    tell(people, [lost(seconds=4), *told])
    text = read(people, browser)
    for note in (
        "With how many GPUs it began is not told.",
        "How many microbatches a step has to sum up is not told",
        "Tokens of its steps are not told",
        "Training losses are not told",
        "degraded: runs on without 8 GPUs",
    ):
        assert note in text, note
    assert "Violations" not in text


@pytest.mark.django_db
@pytest.mark.parametrize("of", ["platform", "operator"])
def test_who_runs_the_cluster_reads_the_lane_and_no_step_or_name(browser: Browser, of: str) -> None:
    people = cast()
    running(people)
    tell(people, story())
    text = read(people, browser, of=of)
    assert "degraded: runs on 56 of 64 GPUs" in text
    assert "replica 1 is gone, 8 GPUs" in text
    assert "Steps, microbatches and what running on was worth are hidden by policy." in text
    for hidden in ("llama", "dp3", "Tokens a GPU-hour", "Steps committed", "gradient-sync", "2.92"):
        assert hidden not in text, hidden


@pytest.mark.django_db
def test_who_sent_the_events_itself_reads_them(browser: Browser) -> None:
    people = cast()
    running(people)
    tell(people, story(), of="platform")
    assert "Steps committed" in read(people, browser, of="platform")
    assert "Steps committed" not in read(people, browser, of="operator")


@pytest.mark.django_db
def test_another_tenant_finds_no_such_session(browser: Browser) -> None:
    people = cast()
    running(people)
    tell(people, story())
    with organization_scope(people.tenant.pk):
        session = Session.objects.get()
    answer = browser(people.other).get(f"/o/{people.other.slug}/sessions/{session.public_id}/")
    assert answer.status_code == 404


@pytest.mark.django_db
def test_one_that_ended_says_what_it_lost_on_its_way(browser: Browser) -> None:
    people = cast()
    running(people)
    tell(people, story())
    with organization_scope(people.tenant.pk):
        Attempt.objects.update(state="finished", ended_at=BEGAN + timedelta(hours=1))
    assert "finished, 8 GPUs lost" in read(people, browser, path="list")


@pytest.mark.django_db
def test_a_job_that_fell_silent_is_not_drawn_on(browser: Browser) -> None:
    people = cast()
    running(people)
    tell(people, story())
    assert "Nothing is told since 21 Nov 01:13:20" in read(people, browser)


@pytest.mark.django_db
def test_a_session_of_which_nothing_is_told_has_no_such_panel(browser: Browser) -> None:
    people = cast()
    running(people)
    assert "Recovery while running" not in read(people, browser)


def documented() -> dict[str, Any]:
    """Return the example of docs/recovery-events.md as it stands there."""
    text = (Path(__file__).parents[3] / "docs/recovery-events.md").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text.split("```json\n")[1].split("```")[0])
    return found


@pytest.mark.django_db
def test_the_example_of_the_documentation_breaks_nothing_and_is_read_whole(
    browser: Browser,
) -> None:
    people = cast()
    told = documented()
    told |= {"cluster": people.cluster.slug, "session": SESSION}
    answer = push_json(PATH, people.token(people.tenant), told)
    assert answer.json() == {"accepted": len(told["events"]), "rejected": []}
    text = read(people, browser)
    assert "degraded: runs on 24 of 32 GPUs" in text
    assert "0 in 2 steps" in text
    for wrong in ("not what it would have been", "don\u2019t sum up", "start not reported"):
        assert wrong not in text
    assert "are not told: what running on was worth" not in text


@pytest.mark.django_db
def test_of_one_step_with_tokens_the_page_says_that_one_is_too_few(browser: Browser) -> None:
    people = cast()
    tell(people, [began(), lost(), committed(61, survivors=7)])
    text = read(people, browser)
    assert "One step alone tells its tokens" in text
    assert "Tokens of its steps are not told" not in text


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("is_reported", "quiet", "is_degraded"),
    [
        (False, timedelta(minutes=50), True),
        (False, timedelta(minutes=80), False),
        (True, timedelta(hours=20), True),
        (True, timedelta(days=7), False),
    ],
)
def test_a_job_that_fell_silent_is_not_degraded_now(
    *,
    browser: Browser,
    time_machine: TimeMachineFixture,
    is_reported: bool,
    quiet: timedelta,
    is_degraded: bool,
) -> None:
    people = cast()
    if is_reported:
        running(people)
    tell(people, story())
    time_machine.move_to(BEGAN + timedelta(seconds=800) + quiet)
    text = read(people, browser, path="list")
    assert ("degraded: runs on 56 of 64 GPUs" in text) is is_degraded
    assert (", 8 GPUs lost" in text) is not is_degraded


@pytest.mark.django_db
def test_steps_told_before_the_loss_came_in_count_as_told_last(browser: Browser) -> None:
    people = cast()
    events = story()
    for part in (events[5:], events[:5]):
        tell(people, part)
    with organization_scope(people.tenant.pk):
        attempt = Attempt.objects.get()
    assert attempt.loss_told_at == BEGAN + timedelta(seconds=800)
    assert attempt.started_at == BEGAN


@pytest.mark.django_db
def test_the_begin_that_a_scheduler_tells_beats_the_one_of_the_job(browser: Browser) -> None:
    later = began() | {"at": (BEGAN + timedelta(minutes=5)).isoformat()}
    for order in ("scheduler job", "job scheduler"):
        people = cast()
        for who in order.split():
            if who == "job":
                tell(people, [later, lost()])
            else:
                running(people)
        with organization_scope(people.tenant.pk):
            assert Attempt.objects.get().started_at == BEGAN
