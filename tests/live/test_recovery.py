"""A real job over gloo loses a rank and goes on: the portal shows it, and calls it no stop.

A run that was kept is replayed everywhere; where a Python with PyTorch is named one is made anew.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from apps.fleet.models import Attempt, Session
from apps.incidents.correlation.correlate import correlate_attempt
from apps.incidents.models import Incident
from apps.telemetry.recovery.run_state import stored_run
from apps.tenancy.scope import organization_scope
from apps.training.in_job.job_report import InJobReport, job_report
from tests.cast import make
from tests.cast.pushes import Cast, cast, drain_all, push_json, push_text
from tests.cast.recovery_events import PATH
from tests.live.gloo.judge import VARIABLE, python_with_torch
from tests.live.recovery.launch import KILLED, REPLICAS, STEPS, recovered

pytestmark = pytest.mark.sweep
SESSION = "gloo-recovers"
KEPT = Path(__file__).parent / "recovery" / "recorded.json"
needs_torch = pytest.mark.skipif(
    not os.environ.get(VARIABLE) or not python_with_torch(),
    reason=f"{VARIABLE} names no Python with PyTorch: recovery in place was tried by a kept run "
    "alone; set it to one to kill a rank now",
)


def started(people: Cast) -> None:
    """Let the platform tell that the session runs."""
    told = {"session": SESSION, "project": "solar", "state": "running", "hosts": ["gpu001"]}
    push_json("/api/v1/session-events", people.token(people.platform), told)


def push_logs(people: Cast, logs: Mapping[str, str]) -> None:
    """Push what each rank printed."""
    for rank, text in logs.items():
        push_text(
            people.token(people.tenant), text, session=SESSION, attempt="1", rank=rank, tz="UTC"
        )
    while drain_all(people.tenant):
        pass


def report_of(people: Cast) -> InJobReport:
    """Return what is said of the attempt."""
    with organization_scope(people.tenant.pk):
        attempt = Attempt.objects.select_related("session").get()
        found = stored_run(attempt=attempt)
    assert found is not None
    last = found.run.events[-1].at_seconds
    return job_report(found.run, world_size=None, begins_seconds=None, ends_seconds=last)


def judge(people: Cast, events: Sequence[Mapping[str, Any]]) -> None:
    """See that the page shows one loss, every step as it would have been, and no stop."""
    report = report_of(people)
    assert [each.replica for each in report.run.losses] == [f"replica-{KILLED}"]
    assert report.lane is not None
    assert (report.lane.started_gpu_count, report.lane.alive_gpu_count) == (REPLICAS, REPLICAS - 1)
    assert [each.step for each in report.run.commits] == [*range(1, STEPS + 1)]
    assert report.violations == ()
    assert (report.flags, report.guarded_count) == ((), 1)
    with organization_scope(people.tenant.pk):
        attempt, session = Attempt.objects.get(), Session.objects.get()
    now = datetime.fromtimestamp(max(each["at"] for each in events), UTC) + timedelta(minutes=1)
    correlate_attempt(owner_id=people.tenant.pk, attempt_id=attempt.pk, now=now)
    with organization_scope(people.tenant.pk):
        assert [each.kind for each in Incident.objects.all()] == ["degraded"]
    reader = people.tenant
    client = Client()
    client.force_login(
        make.user(organization=reader), backend="django.contrib.auth.backends.ModelBackend"
    )
    answer = client.get(f"/o/{reader.slug}/sessions/{session.public_id}/")
    text = re.sub(r"\s+", " ", answer.content.decode())
    for told in (
        "degraded: runs on 3 of 4 GPUs",
        f"replica-{KILLED} is gone, 1 GPU",
        "Communicator repaired: 4 to 3 members",
        f"0 in {STEPS} steps",
        "lost GPUs and runs on",
    ):
        assert told in text, told


@pytest.mark.django_db
def test_a_kept_run_is_shown_as_degraded_and_not_as_stopped() -> None:
    run = json.loads(KEPT.read_text("utf-8"))
    # A day without a word and a session isn't running any more: it is read as on its own day.
    with time_machine.travel(run["events"][-1]["at"] + 60):
        people = cast()
        started(people)
        document = {"session": SESSION, "attempt": 1, "events": run["events"]}
        answer = push_json(PATH, people.token(people.tenant), document)
        assert answer.json() == {"accepted": len(run["events"]), "rejected": []}
        push_logs(people, run["logs"])
        judge(people, run["events"])


@needs_torch
@pytest.mark.django_db(transaction=True)
def test_a_rank_that_is_killed_now_is_shown_while_the_others_go_on(
    live_server: LiveServer, tmp_path: Path
) -> None:
    people = cast()
    started(people)
    run = recovered(
        python=python_with_torch(),
        folder=tmp_path,
        url=f"{live_server.url}{PATH}",
        token=people.token(people.tenant),
    )
    assert [code == 0 for code in run.exit_codes] == [rank != KILLED for rank in range(REPLICAS)]
    push_logs(people, run.logs)
    judge(people, run.events)
