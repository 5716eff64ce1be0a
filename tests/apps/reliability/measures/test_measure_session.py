"""Attempts are measured as facts come: whatever comes late, twice or in another order."""

import random
from datetime import timedelta
from typing import Any

import pytest

from apps.fleet.models import Attempt, Session
from apps.incidents.correlation.touched_windows import map_windows
from apps.reliability.measures import orders
from apps.reliability.measures.measure_session import measure_session
from apps.reliability.measures.rows import COLUMNS, HOUR_FIELDS, MEASURE_FIELDS
from apps.reliability.models import AttemptHour, AttemptMeasure, MeasureOrder
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import Cast, cast
from tests.cast.told_runs import START, push_run, run_lines

NOW = START + timedelta(days=9)
Rows = tuple[list[Any], list[Any]]


def told(people: Cast) -> None:
    """Let the scheduler have said when two attempts of 64 ranks began and failed."""
    with organization_scope(people.tenant.pk):
        for attempt in (1, 2):
            begin = START + timedelta(days=attempt)
            Attempt.objects.filter(number=attempt).update(
                started_at=begin, ended_at=begin + timedelta(hours=1), state="failed", world_size=64
            )


def measured(people: Cast) -> int:
    """Measure the session once; return how many rows changed."""
    with organization_scope(people.tenant.pk):
        session = Session.objects.get()
    found = measure_session(organization_id=people.tenant.pk, session_id=session.pk, now=NOW)
    return found.changed_count


def rows(people: Cast) -> Rows:
    """Return what is kept."""
    with organization_scope(people.tenant.pk):
        measures = AttemptMeasure.objects.order_by("starts_at")
        hours = AttemptHour.objects.order_by("hour", "attempt__number")
        return (
            list(measures.values_list("attempt__number", *MEASURE_FIELDS)),
            list(hours.values_list("attempt__number", "hour", *HOUR_FIELDS)),
        )


@pytest.mark.django_db
def test_the_uses_of_attempts_are_their_wall_clock_hour_by_hour() -> None:
    people = cast()
    push_run(people, attempt=1)
    push_run(people, attempt=2)
    told(people)
    assert measured(people) > 2
    with organization_scope(people.tenant.pk):
        first, second = AttemptMeasure.objects.order_by("starts_at")
        sums = [sum(getattr(each, name) for name in COLUMNS.values()) for each in (first, second)]
        hours = AttemptHour.objects.values_list(*COLUMNS.values())
        assert sum(map(sum, hours)) == sum(sums)
    # The first one's time is until the second begins.
    assert [each / 3_600_000 for each in sums] == [24.0, 1.0]
    assert first.save_count == 2
    assert first.save_wait_ms == 31_000
    assert first.mfu == 40.6
    assert first.gpus == 64
    assert first.lost_progress_ms > 0
    assert first.straggler_ms > 0
    assert first.downtime_ms
    assert first.downtime_ms > 23 * 3_600_000
    assert second.downtime_ms is None  # nothing came after it


@pytest.mark.django_db
def test_measuring_again_writes_nothing() -> None:
    people = cast()
    push_run(people)
    told(people)
    assert measured(people)
    before = rows(people)
    assert measured(people) == 0
    assert rows(people) == before


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(3))
def test_late_and_doubled_facts_in_any_order_give_the_same_rows(seed: int) -> None:
    shuffled = random.Random(seed)  # noqa: S311  no secret
    in_order, other = cast(), cast()
    push_run(in_order, attempt=1)
    push_run(in_order, attempt=2)
    told(in_order)
    measured(in_order)
    lines = {each: run_lines(starts_at=START + timedelta(days=each)) for each in (1, 2)}
    pushes = [(each, part) for each in (1, 2) for part in (lines[each][:140], lines[each][140:])]
    pushes += shuffled.sample(pushes, 2)
    shuffled.shuffle(pushes)
    for attempt, part in pushes:
        push_run(other, attempt=attempt, lines=part)
        measured(other)
    told(other)
    measured(other)
    assert rows(other) == rows(in_order)


@pytest.mark.django_db
def test_an_attempt_that_is_told_to_have_begun_earlier_is_measured_anew() -> None:
    people = cast()
    push_run(people)
    told(people)
    measured(people)
    earlier = START + timedelta(days=1, hours=-3)
    with organization_scope(people.tenant.pk):
        Attempt.objects.update(started_at=earlier)
    assert measured(people) == 4  # the measure and three hours before
    (measure,), hours = rows(people)
    assert measure[1] == earlier
    assert len(hours) == 4


@pytest.mark.django_db
def test_new_facts_order_a_measure_of_their_session_once() -> None:
    people = cast()
    push_run(people)
    for _ in range(2):
        map_windows(organization_id=people.tenant.pk, now=NOW)
    with organization_scope(people.tenant.pk):
        order = MeasureOrder.objects.get()
        assert order.due_at == NOW + orders.COALESCE
    soon = NOW + orders.COALESCE
    assert orders.claim_due(organization_id=people.tenant.pk, now=NOW) == []
    ((session_id, touched_at),) = orders.claim_due(organization_id=people.tenant.pk, now=soon)
    assert orders.claim_due(organization_id=people.tenant.pk, now=soon) == []
    orders.finish(
        organization_id=people.tenant.pk,
        session_id=session_id,
        touched_at=touched_at,
        again_at=None,
    )
    with organization_scope(people.tenant.pk):
        assert not orders.is_due(organization_id=people.tenant.pk, now=soon)
        assert orders.find_unmeasured(organization_id=people.tenant.pk, now=soon) == 0


@pytest.mark.django_db
def test_facts_that_come_while_it_is_measured_order_another_measure() -> None:
    people = cast()
    push_run(people)
    map_windows(organization_id=people.tenant.pk, now=NOW)
    soon = NOW + orders.COALESCE
    ((session_id, touched_at),) = orders.claim_due(organization_id=people.tenant.pk, now=soon)
    push_run(people, attempt=2)
    map_windows(organization_id=people.tenant.pk, now=soon)
    orders.finish(
        organization_id=people.tenant.pk,
        session_id=session_id,
        touched_at=touched_at,
        again_at=None,
    )
    with organization_scope(people.tenant.pk):
        assert orders.is_due(organization_id=people.tenant.pk, now=soon + orders.COALESCE)


@pytest.mark.django_db
def test_sessions_from_before_there_were_measures_are_found() -> None:
    people = cast()
    push_run(people)
    with organization_scope(people.tenant.pk):
        assert not MeasureOrder.objects.exists()
        assert orders.find_unmeasured(organization_id=people.tenant.pk, now=NOW) == 1
        assert orders.is_due(organization_id=people.tenant.pk, now=NOW)


@pytest.mark.django_db
def test_nobody_but_the_tenant_reads_what_its_logs_tell() -> None:
    people = cast()
    push_run(people)
    told(people)
    measured(people)
    with organization_scope(people.operator.pk):
        assert not AttemptMeasure.objects.exists()
        assert not AttemptHour.objects.exists()
    with organization_scope(people.tenant.pk):
        assert AttemptMeasure.objects.exists()
