"""Text that takes too long to read: its batch is set aside alone, and tried again by newer code."""

from collections.abc import Callable
from functools import partial
from itertools import count

import pytest
from celery.exceptions import SoftTimeLimitExceeded

from apps.telemetry.limits import processor_budget
from apps.telemetry.logs import reader_version, set_aside
from apps.telemetry.logs.interpretation import drain, interpret
from apps.telemetry.models import Batch, Event
from apps.telemetry.tasks import sweep
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.logs.log_lines import LINES
from tests.cast.pushes import NOW, Cast, cast, push_text

# A line that holds a literal, and so is looked at; each look takes a second of the clock below.
SLOW = "\n".join(["NVRM: Xid " + "x" * 5000] * 9)
REASON = "took longer than 5 s of processor time to read"


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every look at the clock take a second."""
    ticks = count()
    ticking: Callable[[], float] = lambda: float(next(ticks))  # noqa: E731
    monkeypatch.setattr(
        interpret, "budget_for", partial(processor_budget.budget_for, clock=ticking)
    )


def sent(people: Cast) -> None:
    """Push a body that is slow to read between two that are not."""
    for number, text in enumerate(("\n".join(LINES[:10]), SLOW, "\n".join(LINES[10:]))):
        push_text(people.token(people.operator), text, stream="kernel", host=f"gpu00{number}")


def turn(people: Cast) -> None:
    drain.take_turn(organization_id=people.operator.pk, clock=lambda: 0.0, now=lambda: NOW)


def states(people: Cast) -> list[tuple[str, str]]:
    with organization_scope(people.operator.pk):
        return list(Batch.objects.order_by("id").values_list("state", "error"))


@pytest.mark.django_db
def test_a_batch_over_its_budget_is_set_aside_alone_with_the_reason() -> None:
    people = cast()
    sent(people)
    turn(people)
    assert states(people) == [("interpreted", ""), ("dead", REASON), ("interpreted", "")]
    with organization_scope(people.operator.pk):
        assert Event.objects.count() == len(LINES)


@pytest.mark.django_db
def test_a_batch_that_outlasts_its_task_alone_is_set_aside_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = cast()
    push_text(people.token(people.operator), SLOW, stream="kernel", host="gpu001")

    def stopped(**_: object) -> int:
        raise SoftTimeLimitExceeded

    monkeypatch.setattr(interpret, "interpret_batches", stopped)
    turn(people)
    assert states(people) == [("dead", "took longer than a task may run")]


@pytest.mark.django_db
def test_newer_code_tries_again_once_and_no_code_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    people = cast()
    sent(people)
    turn(people)
    assert set_aside.BATCHES.try_again(organization_ids=[people.operator.pk]) == 0
    for version in ("newer", "newest"):
        monkeypatch.setattr(set_aside, "reader_version", lambda version=version: version)
        assert (
            set_aside.BATCHES.try_again(organization_ids=[people.operator.pk, people.tenant.pk])
            == 1
        )
        assert set_aside.BATCHES.try_again(organization_ids=[people.operator.pk]) == 0
        turn(people)
        assert states(people)[1] == ("dead", REASON)
        assert set_aside.BATCHES.try_again(organization_ids=[people.operator.pk]) == 0
    monkeypatch.undo()  # an older worker beside the newer
    assert set_aside.BATCHES.try_again(organization_ids=[people.operator.pk]) == 0


@pytest.mark.django_db
def test_what_newer_code_can_read_is_found_by_the_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    people = cast()
    sent(people)
    turn(people)
    monkeypatch.setattr(set_aside, "reader_version", lambda: "newer")
    monkeypatch.setattr(interpret, "budget_for", processor_budget.budget_for)
    sweep()
    turn(people)
    assert states(people) == [("interpreted", "")] * 3


def test_the_version_of_the_reading_code_is_that_of_its_files() -> None:
    said = reader_version.reader_version()
    assert len(said) == reader_version.LENGTH
    reader_version.reader_version.cache_clear()
    assert reader_version.reader_version() == said


def test_a_budget_grows_with_the_text_and_has_an_end() -> None:
    def seconds(byte_count: int, stored: int = 0) -> float:
        found = processor_budget.budget_for(byte_count=byte_count, clock=lambda: 7.0)
        found.allow_stored(byte_count=stored)
        return found.ends_at - 7.0

    assert seconds(0) == processor_budget.FLOOR_SECONDS
    assert seconds(4 * processor_budget.MIB) > seconds(0)
    assert seconds(0, stored=4 * processor_budget.MIB) > seconds(0)
    assert seconds(1 << 40, stored=1 << 40) == processor_budget.CEILING_SECONDS


def test_a_budget_is_of_the_processor_and_nothing_that_waits_spends_it() -> None:
    found = processor_budget.budget_for(byte_count=0)
    found.check()
    found.ends_at = found.started_at
    with pytest.raises(processor_budget.OverBudget):
        found.check()
