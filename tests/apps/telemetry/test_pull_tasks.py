"""The doors: what is due is enqueued once its time has come, per organization."""

from datetime import timedelta

import pytest
import time_machine

from apps.telemetry import tasks
from apps.telemetry.metrics.pulls import pull_schedule
from apps.telemetry.models import EvidenceCapture, Source
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.prometheus_server import World, serving
from tests.cast.metrics import HOSTS, NOW, cast, healthy, reloaded, source

pytestmark = [
    pytest.mark.django_db,
    # The queue of a task stands on its decorator; the newest Celery would have it in a setting.
    pytest.mark.filterwarnings("ignore::celery.exceptions.CDeprecationWarning"),
]


def test_sweep_enqueues_due_sources_and_captures(monkeypatch: pytest.MonkeyPatch) -> None:
    people = cast()
    made = source(people, "http://127.0.0.1:1")
    source(people, "http://127.0.0.1:1", name="fresh", last_attempt_at=NOW - timedelta(seconds=10))
    with organization_scope(people.operator.id):
        order = EvidenceCapture.objects.create(
            organization=people.operator,
            incident_owner=people.outsider.id,
            incident_public_id="INC-1",
            source=made,
            capture_pass=1,
            due_at=NOW,
            request={},
        )
    sent: list[tuple[str, dict[str, int]]] = []
    for task in (tasks.pull_source, tasks.capture_evidence):
        # The broker is the edge: what would be sent is what counts.
        monkeypatch.setattr(
            task,
            "apply_async",
            lambda args=(), kwargs=None, *, name=task.name, **_: sent.append((name, kwargs)),
        )
    with time_machine.travel(NOW, tick=False):
        tasks.pull_due.run()
    operator = people.operator.id
    assert sent == [
        ("telemetry.pull_source", {"organization_id": operator, "source_id": made.pk}),
        ("telemetry.capture_evidence", {"organization_id": operator, "capture_id": order.pk}),
    ]


def test_pull_and_capture_run_through_their_doors() -> None:
    people, world = cast(), World()
    healthy(world)
    with serving(world) as url:
        made = source(people, url)
        with organization_scope(people.operator.id):
            order = EvidenceCapture.objects.create(
                organization=people.operator,
                incident_owner=people.outsider.id,
                incident_public_id="INC-1",
                source=made,
                capture_pass=1,
                due_at=NOW,
                request={
                    "starts_at": (NOW - timedelta(minutes=20)).isoformat(),
                    "ends_at": NOW.isoformat(),
                    "suspects": [HOSTS[0]],
                    "mounts": [],
                    "attempt_hosts": list(HOSTS),
                },
            )
        with time_machine.travel(NOW, tick=False):
            tasks.pull_source.run(organization_id=people.operator.id, source_id=made.pk)
            tasks.capture_evidence.run(organization_id=people.operator.id, capture_id=order.pk)
    assert reloaded(made).state == "fresh"
    with organization_scope(people.operator.id):
        order.refresh_from_db()
    assert order.state == "captured"


def test_what_was_deleted_meanwhile_is_no_error() -> None:
    people = cast()
    tasks.pull_source.run(organization_id=people.operator.id, source_id=4711)
    tasks.capture_evidence.run(organization_id=people.operator.id, capture_id=4711)


def test_who_has_many_sources_waits_for_them_and_nobody_else_does() -> None:
    people, others = cast(), cast()
    many = [source(people, "http://127.0.0.1:1", name=f"s{number}") for number in range(5)]
    for number, made in enumerate(many):
        with organization_scope(people.operator.pk):
            Source.objects.filter(pk=made.pk).update(
                last_attempt_at=NOW - timedelta(minutes=10 - number)
            )
    one = source(others, "http://127.0.0.1:1", last_attempt_at=NOW - timedelta(minutes=8))
    mine, theirs = people.operator.pk, others.operator.pk
    found = pull_schedule.next_pulls(organization_ids=[mine, theirs], count=4, now=NOW)
    # Served last longest ago, then each in turn.
    assert found == [(theirs, one.pk), (mine, many[0].pk), (mine, many[1].pk), (mine, many[2].pk)]
