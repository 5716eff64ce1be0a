"""An organization that floods has one place in the line, like everybody else."""

from typing import Any

import pytest
from celery import current_app
from django.core.cache import cache

from apps.telemetry import hints, tasks
from apps.telemetry.models import Batch
from apps.tenancy.scope import organization_scope
from tests.api.receivers.pushing import cast, push_loki


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
    hints.take(organization_id=people.tenant.pk)
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
