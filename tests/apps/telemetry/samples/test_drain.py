"""Turns: whatever dies in between, each acknowledged sample gets into the window once."""

from datetime import timedelta
from threading import Thread

import pytest
from django.db import connection

from apps.telemetry.limits import intake_queue
from apps.telemetry.models import BatchState, PushedBlock, PushedBody, PushedState
from apps.telemetry.retention.purge import metrics
from apps.telemetry.samples import drain
from apps.telemetry.samples.source_lock import has_turn
from apps.tenancy.scope import organization_scope
from tests.api.receivers.writing import V2, Series, snapped, v1, v2, write
from tests.apps.telemetry.samples.windows import NOW, NOW_MS, drained, held, sources, waiting
from tests.cast.pushes import Cast, cast

UP = {"__name__": "up", "instance": "gpu001:9100"}


def push(people: Cast, *times_ago: int) -> None:
    """Push one body for each sample."""
    for ago in times_ago:
        body = v1([Series(labels=UP, samples=[(NOW_MS - ago, float(ago))])])
        assert write(people.token(people.operator), snapped(body)).status_code == 204


def count(people: Cast) -> int:
    """Return how many samples the window holds."""
    (source,) = sources(people.operator)
    return sum(map(len, held(source, "up").values()))


@pytest.mark.django_db
def test_a_worker_that_dies_with_its_bodies_leaves_them_to_the_next() -> None:
    people = cast()
    push(people, 3, 2)
    (source,) = sources(people.operator)
    # It claimed them and was never heard of again.
    group = drain.queue_of(organization_id=people.operator.pk, source_id=source.pk).claim(now=NOW)
    push(people, 1)
    assert len(group) == 2

    assert drained(people.operator, now=NOW + timedelta(seconds=1)) == 1
    assert len(waiting(people.operator)) == 2
    assert drained(people.operator, now=NOW + timedelta(seconds=30)) == 2
    assert (count(people), waiting(people.operator)) == (3, [])


@pytest.mark.django_db
def test_what_nobody_told_of_is_found() -> None:
    people = cast()
    push(people, 1)
    ids = [people.operator.pk, people.other.pk]

    assert intake_queue.waiting_organizations(model=PushedBody, organization_ids=ids) == [
        people.operator.pk
    ]
    drained(people.operator)
    assert intake_queue.waiting_organizations(model=PushedBody, organization_ids=ids) == []


@pytest.mark.django_db
def test_a_poisonous_body_is_set_aside_with_its_reason_and_stops_nobody() -> None:
    people = cast()
    push(people, 3, 2, 1)
    with organization_scope(people.operator.pk):
        ids = list(PushedBody.objects.order_by("id").values_list("id", flat=True))
        PushedBody.objects.filter(pk=ids[1]).update(body=b"torn")

    for minute in range(6):
        drained(people.operator, now=NOW + timedelta(minutes=minute))

    (dead,) = waiting(people.operator)
    assert (dead.pk, dead.state) == (ids[1], BatchState.DEAD)
    assert "ZstdError" in dead.error
    assert count(people) == 2
    push(people, 2)  # sent again, it gets another chance, and is torn still
    assert [each.state for each in waiting(people.operator)] == [BatchState.ACCEPTED]
    with organization_scope(people.operator.pk):
        PushedBody.objects.update(state=BatchState.DEAD)
        metrics.drop_unread(organization_id=people.operator.pk, now=NOW + timedelta(days=365))
    assert waiting(people.operator) == []


@pytest.mark.django_db(transaction=True)
def test_only_one_worker_writes_a_window_at_a_time() -> None:
    people = cast()
    push(people, 2, 1)
    (source,) = sources(people.operator)
    turns: list[int] = []

    def come_in() -> None:
        turns.append(drained(people.operator))
        connection.close()

    with organization_scope(people.operator.pk):
        assert has_turn(source_id=source.pk)
        other = Thread(target=come_in)
        other.start()
        other.join()
    assert turns == [0]
    assert drained(people.operator) == 2


@pytest.mark.django_db
def test_doing_it_twice_changes_nothing() -> None:
    people = cast()
    push(people, 3, 2, 1)
    with organization_scope(people.operator.pk):
        bodies = list(PushedBody.objects.order_by("id"))
    drained(people.operator)
    with organization_scope(people.operator.pk):
        before = list(PushedBlock.objects.values_list("body"))
        for body in bodies:
            body.pk = None
        PushedBody.objects.bulk_create(bodies)

    drained(people.operator)

    with organization_scope(people.operator.pk):
        assert list(PushedBlock.objects.values_list("body")) == before
        assert PushedState.objects.get().body_count == 6


@pytest.mark.django_db
def test_bodies_whose_shared_labels_unfold_are_not_held_together() -> None:
    people = cast()
    long = {f"l{n}": "x" * 4000 for n in range(100)}
    for ago in (2, 1):
        many = [
            Series(labels={"__name__": "up", "n": str(n), **long}, samples=[(NOW_MS - ago, 1.0)])
            for n in range(50)
        ]
        answer = write(people.token(people.operator), snapped(v2(many)), content_type=V2)
        assert answer.status_code == 204
    (source,) = sources(people.operator)

    claim = drain.queue_of(organization_id=people.operator.pk, source_id=source.pk).claim(now=NOW)

    assert len(claim) == 1
