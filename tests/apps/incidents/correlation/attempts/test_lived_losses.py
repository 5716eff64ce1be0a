"""A job that loses a replica and runs on is told as degraded with the cause, not as stopped."""

from datetime import timedelta

import pytest

from apps.fleet.models import Attempt
from apps.incidents.correlation.attempts.lived_losses import REPAIRED_WITHIN
from apps.incidents.models import Incident, TimelineEntry
from apps.incidents.projection.headers import read_headers
from apps.incidents.words import restart, title_of
from apps.tenancy.scope import organization_scope
from tests.cast.degraded_job import AT, LATER, SESSION, at, job, look, scene
from tests.cast.incidents import actor
from tests.cast.pushes import Cast
from tests.cast.recovery_events import tell
from tests.cast.stopped_session import CRASH


def told(people: Cast) -> list[tuple[str, str, str]]:
    """Return kind, state and cause of the incidents that are open."""
    with organization_scope(people.tenant.pk, people.operator.pk):
        rows = Incident.objects.exclude(status__in=["merged", "withdrawn"]).order_by("started_at")
        return [(row.kind, row.end_state, row.cause) for row in rows]


def titles(people: Cast) -> list[tuple[str, str]]:
    """Return titles and advice as the tenant reads them."""
    with organization_scope(people.tenant.pk):
        rows = list(Incident.objects.exclude(status="merged").order_by("started_at"))
        headers = read_headers(actor=actor(people.tenant), incidents=rows)
        return [(title_of(each), restart(each)) for each in headers]


@pytest.mark.django_db
def test_without_its_events_the_same_logs_are_a_stop() -> None:
    people = scene([])
    look(people, LATER)
    assert [kind for kind, _, _ in told(people)] == ["stop"]


@pytest.mark.django_db
def test_a_lost_replica_is_no_stop_and_its_cause_is_named() -> None:
    people = scene(job())
    look(people, LATER)
    ((kind, state, cause),) = told(people)
    assert (kind, state) == ("degraded", "running")
    assert cause == "gpu-off-bus"
    ((title, advice),) = titles(people)
    assert title.startswith("Session run-1 lost GPUs and runs on: ")
    assert "gpu001" in title
    assert (
        advice == "Nothing has to be started again for this. At the next start, leave out gpu001."
    )
    with organization_scope(people.tenant.pk):
        assert TimelineEntry.objects.filter(kind="gpus-lost").count() == 1
        assert Attempt.objects.get().doubted_at is None


@pytest.mark.django_db
def test_the_verdict_is_that_of_the_same_logs_as_a_stop() -> None:
    stopped, degraded = scene([]), scene(job())
    look(stopped, LATER)
    look(degraded, LATER)
    assert told(stopped)[0][2] == told(degraded)[0][2]


@pytest.mark.django_db
def test_a_fresh_failure_of_such_a_job_is_doubted_until_it_goes_on_or_is_silent() -> None:
    people = scene(job(losses=(), steps_until=-60))
    fresh = look(people, AT + timedelta(seconds=60))
    assert told(people) == []
    assert fresh.doubted_until is not None
    with organization_scope(people.tenant.pk):
        assert Attempt.objects.get().doubted_at is not None
    look(people, AT + timedelta(seconds=20) + REPAIRED_WITHIN)
    assert [kind for kind, _, _ in told(people)] == ["stop"]


@pytest.mark.django_db
def test_what_was_taken_for_a_stop_goes_on_as_degraded_under_its_id() -> None:
    people = scene([])
    look(people, LATER)
    with organization_scope(people.tenant.pk):
        stop = Incident.objects.get().public_id
    tell(people, job(steps_until=900), session=SESSION)
    look(people, AT + timedelta(minutes=16))
    assert [kind for kind, _, _ in told(people)] == ["degraded"]
    with organization_scope(people.tenant.pk):
        assert Incident.objects.exclude(status="merged").get().public_id == stop


@pytest.mark.django_db
def test_a_job_that_dies_after_it_lived_through_a_loss_has_both() -> None:
    late = [line.replace("02:00:", "02:11:") for line in CRASH]
    people = scene(job(), state="failed", crash=[*CRASH, *late])
    look(people, AT + timedelta(minutes=20))
    assert [(kind, state) for kind, state, _ in told(people)] == [
        ("degraded", "failed"),
        ("stop", "failed"),
    ]


@pytest.mark.django_db
def test_a_job_that_finishes_without_some_gpus_did_not_stop() -> None:
    people = scene(job(), state="finished")
    look(people, AT + timedelta(minutes=20))
    assert [(kind, state) for kind, state, _ in told(people)] == [("degraded", "finished")]
    assert titles(people)[0][0].startswith("Session run-1 lost GPUs and ran on: ")


@pytest.mark.django_db
def test_losses_far_from_each_other_are_two_incidents_and_close_ones_are_one() -> None:
    people = scene(job(losses=(5, 30, 7200), steps_until=7500))
    look(people, AT + timedelta(seconds=7600))
    assert [kind for kind, _, _ in told(people)] == ["degraded", "degraded"]
    look(people, AT + timedelta(seconds=7700))
    assert len(told(people)) == 2


@pytest.mark.django_db
def test_a_loss_after_which_all_processes_were_started_again_was_not_lived_through() -> None:
    restarted = {
        "event": "workers_restarted",
        "at": at(60),
        "told_by": "torchelastic",
        "number": 1,
    }
    people = scene([*job(), restarted])
    look(people, LATER)
    assert "degraded" not in [kind for kind, _, _ in told(people)]
