"""A pushed body that takes too long: set aside alone, said to its sender's admins, tried again."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from io import StringIO
from itertools import count

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.core.management import call_command

from apps.telemetry.limits import processor_budget
from apps.telemetry.models import BatchState, PushedBody
from apps.telemetry.retention.purge import metrics
from apps.telemetry.samples import interpret, set_aside
from apps.telemetry.tasks import sweep
from apps.tenancy.models import FailedWork
from apps.tenancy.scope import organization_scope
from tests.api.receivers.writing import Series, snapped, v1, write
from tests.apps.telemetry.samples.windows import NOW, NOW_MS, drained, waiting
from tests.cast.pushes import Cast, cast

REASON = "took longer than 5 s of processor time to read"


@pytest.fixture
def _slow_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every look at the clock take a second: a body of many metrics is slow."""
    ticks = count()
    ticking: Callable[[], float] = lambda: float(next(ticks))  # noqa: E731
    monkeypatch.setattr(
        interpret, "budget_for", partial(processor_budget.budget_for, clock=ticking)
    )


def push(people: Cast, *, name: str, metric_count: int = 1) -> None:
    """Push a body of so many metrics."""
    body = v1(
        [
            Series(labels={"__name__": f"{name}_{n}"}, samples=[(NOW_MS, 1.0)])
            for n in range(metric_count)
        ]
    )
    assert write(people.token(people.operator), snapped(body)).status_code == 204


def sent(people: Cast) -> None:
    """Push a body that is slow to read between two that are not."""
    for name, metric_count in (("first", 1), ("slow", 9), ("last", 1)):
        push(people, name=name, metric_count=metric_count)


def states(people: Cast) -> list[tuple[str, str]]:
    return [(each.state, each.error) for each in waiting(people.operator)]


def said(people: Cast) -> list[tuple[str, str]]:
    """Return what an admin reads of the work that was set aside."""
    with organization_scope(people.operator.pk):
        return list(FailedWork.objects.order_by("id").values_list("kind", "error"))


def retry(*words: str) -> str:
    out = StringIO()
    call_command("retry", *words, stdout=out)
    return out.getvalue()


@pytest.mark.django_db
@pytest.mark.usefixtures("_slow_clock")
def test_a_body_over_its_budget_is_set_aside_alone_with_the_reason() -> None:
    people = cast()
    sent(people)
    assert drained(people.operator) == 2
    assert states(people) == [(BatchState.DEAD, REASON)]
    assert said(people) == [(set_aside.KIND, REASON)]


@pytest.mark.django_db
def test_a_body_that_outlasts_its_task_alone_is_set_aside_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = cast()
    push(people, name="up")

    def stopped(**_: object) -> None:
        raise SoftTimeLimitExceeded

    monkeypatch.setattr(interpret, "interpret_bodies", stopped)
    drained(people.operator)
    assert states(people) == [(BatchState.DEAD, "took longer than a task may run")]


@pytest.mark.django_db
@pytest.mark.usefixtures("_slow_clock")
def test_newer_code_tries_again_once_and_no_code_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    people = cast()
    sent(people)
    drained(people.operator)
    ids = [people.operator.pk, people.tenant.pk]
    assert set_aside.BODIES.try_again(organization_ids=ids) == 0
    monkeypatch.setattr(set_aside, "edition", lambda: "newer")
    assert [set_aside.BODIES.try_again(organization_ids=ids) for _ in range(2)] == [1, 0]
    drained(people.operator)
    assert states(people) == [(BatchState.DEAD, REASON)]
    assert set_aside.BODIES.try_again(organization_ids=ids) == 0


@pytest.mark.django_db
@pytest.mark.usefixtures("_slow_clock")
def test_what_newer_code_can_read_is_found_by_the_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    people = cast()
    sent(people)
    drained(people.operator)
    monkeypatch.setattr(set_aside, "edition", lambda: "newer")
    monkeypatch.setattr(interpret, "budget_for", processor_budget.budget_for)
    sweep()
    assert drained(people.operator) == 9
    assert (states(people), said(people)) == ([], [])


@pytest.mark.django_db
@pytest.mark.usefixtures("_slow_clock")
def test_retry_lists_it_and_lets_it_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    people = cast()
    sent(people)
    drained(people.operator)
    assert f"{set_aside.KIND} " in retry("--list")
    assert [state for state, _ in states(people)] == [BatchState.DEAD]
    monkeypatch.setattr(interpret, "budget_for", processor_budget.budget_for)
    assert "1 will be tried again" in retry("--kind", set_aside.KIND)
    assert drained(people.operator) == 9
    assert (states(people), said(people)) == ([], [])


@pytest.mark.django_db
@pytest.mark.usefixtures("_slow_clock")
def test_what_is_sent_again_or_goes_by_age_is_no_longer_said_to_rest() -> None:
    people = cast()
    sent(people)
    drained(people.operator)
    push(people, name="slow", metric_count=9)
    assert (states(people), said(people)) == ([(BatchState.ACCEPTED, "")], [])
    drained(people.operator)
    with organization_scope(people.operator.pk):
        metrics.drop_unread(organization_id=people.operator.pk, now=NOW + timedelta(days=365))
        assert not PushedBody.objects.exists()
    assert said(people) == []
