"""An organization that floods has one place in the line, like everybody else."""

from typing import Any

import pytest
from celery import current_app
from django.core.cache import cache

from apps.telemetry import tasks
from apps.telemetry.logs.accept import DRAIN
from apps.telemetry.logs.interpretation import drain
from apps.telemetry.models import Batch
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import task_requests
from tests.cast.pushes import NOW, cast, push_json, push_loki


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the organizations a turn was queued for, in order; the queue itself is left out."""
    queued: list[int] = []

    def note(name: str, *, kwargs: dict[str, Any], **_: object) -> None:
        assert name == tasks.drain_organization.name
        queued.append(kwargs["organization_id"])

    cache.clear()
    monkeypatch.setattr(current_app, "send_task", note)
    return queued


@pytest.mark.django_db(transaction=True)
def test_many_pushes_queue_one_turn(sent: list[int]) -> None:
    people = cast()
    for stamp in range(5):
        push_loki(people.token(people.tenant), [(stamp, f"line {stamp}")], {"session": "s"})
    push_loki(people.token(people.other), [(1, "line")], {"session": "s"})
    assert sent == [people.tenant.pk, people.other.pk]


@pytest.mark.django_db(transaction=True)
def test_what_comes_during_a_turn_queues_the_next(sent: list[int]) -> None:
    people = cast()
    push_loki(people.token(people.tenant), [(1, "a")], {"session": "s"})
    task_requests.begin(DRAIN, organization_id=people.tenant.pk)
    push_loki(people.token(people.tenant), [(2, "b")], {"session": "s"})
    assert sent == [people.tenant.pk] * 2


@pytest.mark.django_db(transaction=True)
def test_a_turn_reads_what_waits_and_the_sweeper_finds_what_no_hint_told(sent: list[int]) -> None:
    people = cast()
    push_loki(people.token(people.tenant), [(1, "a")], {"session": "s"})
    cache.clear()  # the broker forgot everything
    tasks.sweep()
    assert sent == [people.tenant.pk] * 2
    tasks.drain_organization(organization_id=people.tenant.pk)
    with organization_scope(people.tenant.pk):
        assert Batch.objects.get().state == "interpreted"
    tasks.sweep()
    assert sent == [people.tenant.pk] * 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("sent")
def test_what_is_read_at_once_is_bounded_by_its_label_sets() -> None:
    people = cast()
    streams = [
        {"stream": {"session": f"s{each}"}, "values": [["1", "line"]]}
        for each in range(drain.GROUP_VOICES // 2 + 1)
    ]
    for number in range(3):
        streams[0]["values"] = [[str(number + 1), "line"]]
        push_json("/loki/api/v1/push", people.token(people.tenant), {"streams": streams})
    group = drain.queue_of(organization_id=people.tenant.pk).claim(now=NOW)
    assert len(group) == 1
