"""Orders to look at an attempt: none is lost while a look at it ends."""

import random
import threading
from datetime import datetime, timedelta

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from apps.fleet.models import Attempt
from apps.incidents import tasks
from apps.incidents.correlation import touched_windows
from apps.incidents.correlation.attempts import diagnosis_cooldown, due_attempts
from apps.incidents.models import Correlation
from apps.telemetry.models import TouchedWindow
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import worker_shares
from tests.cast import make
from tests.cast.incidents import assemble, attempt_of

BEGAN = make.AT
TOUCHED = BEGAN + timedelta(seconds=1)


@pytest.mark.django_db(transaction=True)
def test_facts_that_are_told_while_a_look_ends_are_looked_at() -> None:
    people = assemble()
    owner, attempt = people.tenant.pk, attempt_of(people, people.tenant)
    with organization_scope(owner):
        Correlation.objects.create(
            organization_id=owner, attempt=attempt, due_at=BEGAN, touched_at=BEGAN
        )
        TouchedWindow.objects.create(
            organization_id=owner,
            cluster=people.cluster,
            session_id=attempt.session_id,
            attempt=attempt,
            is_telling=True,
            created_at=TOUCHED,
        )

    def end() -> None:
        due_attempts.finish(
            organization_id=owner, attempt_id=attempt.pk, touched_at=BEGAN, now=BEGAN, again_at=None
        )
        connection.close()

    ending = threading.Thread(target=end)
    with organization_scope(owner):
        touched_windows.map_windows(organization_id=owner, now=TOUCHED)
        ending.start()
        ending.join(timeout=0.5)
    ending.join()
    with organization_scope(owner):
        assert Correlation.objects.get().touched_at == TOUCHED


@pytest.mark.django_db
def test_a_look_that_nothing_came_after_is_closed_and_another_one_is_due() -> None:
    people = assemble()
    owner, attempt = people.tenant.pk, attempt_of(people, people.tenant)
    with organization_scope(owner):
        order = Correlation.objects.create(
            organization_id=owner, attempt=attempt, due_at=BEGAN, touched_at=BEGAN
        )
        assert due_attempts.claim_due(organization_id=owner, now=TOUCHED) == [attempt.pk]
        assert due_attempts.claim_due(organization_id=owner, now=TOUCHED) == []
    seen = due_attempts.begin(organization_id=owner, attempt_id=attempt.pk, now=TOUCHED)
    assert seen == BEGAN
    with organization_scope(owner):
        # Its clock may be behind: what counts is that it is another touch.
        Correlation.objects.filter(pk=order.pk).update(touched_at=BEGAN - timedelta(minutes=1))
    due_attempts.finish(
        organization_id=owner, attempt_id=attempt.pk, touched_at=seen, now=TOUCHED, again_at=None
    )
    with organization_scope(owner):
        order.refresh_from_db()
    assert order.claimed_until is None
    due_attempts.finish(
        organization_id=owner,
        attempt_id=attempt.pk,
        touched_at=order.touched_at,
        now=TOUCHED,
        again_at=None,
    )
    assert due_attempts.begin(organization_id=owner, attempt_id=attempt.pk, now=TOUCHED) is None


@pytest.mark.django_db
def test_one_organization_has_as_many_looks_at_once_as_it_may_and_others_have_theirs(
    settings: LazySettings,
) -> None:
    settings.PORTAL_ALL_WORKER_PROCESSES = 4
    people = assemble()
    owner, other = people.tenant.pk, people.other_tenant.pk
    for organization, count in ((people.tenant, 5), (people.other_tenant, 1)):
        for _ in range(count):
            attempt = attempt_of(people, organization)
            with organization_scope(organization.pk):
                Correlation.objects.create(
                    organization=organization, attempt=attempt, due_at=BEGAN, touched_at=BEGAN
                )
    first = due_attempts.claim_due(organization_id=owner, now=TOUCHED)
    assert len(first) == 2  # half of the processes
    assert due_attempts.claim_due(organization_id=owner, now=TOUCHED) == []
    assert len(due_attempts.claim_due(organization_id=other, now=TOUCHED)) == 1
    due_attempts.finish(
        organization_id=owner, attempt_id=first[0], touched_at=BEGAN, now=TOUCHED, again_at=None
    )
    (next_,) = due_attempts.claim_due(organization_id=owner, now=TOUCHED)
    assert next_ not in first
    # A claim whose task got lost is free again.
    later = TOUCHED + due_attempts.QUEUED.lasts + timedelta(seconds=1)
    assert len(due_attempts.claim_due(organization_id=owner, now=later)) == 2


@pytest.mark.django_db
def test_a_look_that_took_long_is_followed_by_a_rest_in_which_others_are_looked_at() -> None:
    people = assemble()
    owner = people.tenant.pk
    slow, quick = (attempt_of(people, people.tenant) for _ in range(2))
    with organization_scope(owner):
        for attempt in (slow, quick):
            Correlation.objects.create(
                organization_id=owner, attempt=attempt, due_at=BEGAN, touched_at=BEGAN
            )
    diagnosis_cooldown.rest(attempt_id=slow.pk, seconds=20)
    diagnosis_cooldown.rest(attempt_id=quick.pk, seconds=0.4)
    assert due_attempts.claim_due(organization_id=owner, now=TOUCHED) == [quick.pk]


@pytest.mark.django_db
def test_a_look_that_waited_for_others_needs_no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    people = assemble()
    attempt = attempt_of(people, people.tenant)
    waited: list[int] = []

    def wait(*, organization_id: int, attempt_id: int) -> None:
        threading.Event().wait(diagnosis_cooldown.FREE_SECONDS + 0.1)
        waited.append(attempt_id)

    monkeypatch.setattr(tasks, "_correlate", wait)
    tasks.correlate(organization_id=people.tenant.pk, attempt_id=attempt.pk)
    assert waited == [attempt.pk]
    assert diagnosis_cooldown.resting(attempt_ids=waited) == set()


@pytest.mark.django_db
def test_a_look_that_failed_keeps_nobody_waiting_and_is_due_later() -> None:
    people = assemble()
    owner, attempt = people.tenant.pk, attempt_of(people, people.tenant)
    with organization_scope(owner):
        Correlation.objects.create(
            organization_id=owner, attempt=attempt, due_at=BEGAN, touched_at=BEGAN
        )
    assert due_attempts.claim_due(organization_id=owner, now=TOUCHED) == [attempt.pk]
    due_attempts.put_off(
        organization_id=owner, attempt_id=attempt.pk, until=TOUCHED + due_attempts.PUT_OFF
    )
    assert due_attempts.claim_due(organization_id=owner, now=TOUCHED) == []
    later = TOUCHED + due_attempts.PUT_OFF
    assert due_attempts.is_due_soon(organization_id=owner, now=later - timedelta(milliseconds=500))
    assert due_attempts.claim_due(organization_id=owner, now=later) == [attempt.pk]


@pytest.mark.django_db(transaction=True)
def test_facts_that_come_during_a_look_are_looked_at_without_waiting_for_the_sweep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = assemble()
    owner, attempt = people.tenant.pk, attempt_of(people, people.tenant)
    asked: list[tuple[str, float]] = []
    monkeypatch.setattr(tasks, "ask", lambda task, *, queue, wait=0.0: asked.append((task, wait)))
    monkeypatch.setattr(
        tasks,
        "_correlate",
        lambda **_: due_attempts.put_off(
            organization_id=owner,
            attempt_id=attempt.pk,
            until=timezone.now() + due_attempts.COALESCE / 2,  # noqa: TID251  as the task does
        ),
    )
    with organization_scope(owner):
        Correlation.objects.create(
            organization_id=owner, attempt=attempt, due_at=BEGAN, touched_at=BEGAN
        )
    tasks.correlate(organization_id=owner, attempt_id=attempt.pk)
    assert asked == [(tasks.CORRELATE_DUE, tasks.COALESCED.total_seconds())]


@pytest.mark.django_db(transaction=True)
def test_a_look_that_its_organization_may_not_have_now_is_due_again_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = assemble()
    owner, attempt = people.tenant.pk, attempt_of(people, people.tenant)
    asked: list[str] = []
    monkeypatch.setattr(tasks, "ask", lambda task, **_: asked.append(task))
    cache.clear()
    with organization_scope(owner):
        Correlation.objects.create(
            organization_id=owner, attempt=attempt, due_at=BEGAN, touched_at=BEGAN
        )
        assert due_attempts.claim_due(organization_id=owner, now=TOUCHED) == [attempt.pk]
    with worker_shares.of_organization(people.operator.pk), worker_shares.of_organization(owner):
        tasks.correlate(organization_id=owner, attempt_id=attempt.pk)
    assert asked == [tasks.CORRELATE_DUE]
    with organization_scope(owner):
        due = due_attempts.claim_due(organization_id=owner, now=timezone.now())  # noqa: TID251  as it does
    assert due == [attempt.pk]


@pytest.mark.django_db
def test_windows_of_many_hosts_touch_who_ran_there_then() -> None:
    people = assemble()
    owner, cluster = people.tenant.pk, people.cluster.pk
    draw = random.Random(11)  # noqa: S311  no secret
    hosts = [f"n{each}" for each in range(6)]

    def at(often: float = 0.7) -> datetime | None:
        return BEGAN + timedelta(minutes=draw.randint(-90, 90)) if draw.random() < often else None

    with organization_scope(owner):
        first = attempt_of(people, people.tenant)
        for number in range(2, 40):
            Attempt.objects.create(
                organization_id=owner,
                session_id=first.session_id,
                number=number,
                hosts=draw.sample(hosts, draw.randint(0, 3)),
                started_at=at(),
                ended_at=at(),
            )
        attempts = list(Attempt.objects.order_by("pk"))
        for count in (0, 1, 1, 2, 3, 6):
            named = draw.sample([*hosts, ""], count)
            spans = {host: (at(0.9), at(0.9)) for host in named}
            found = touched_windows._attempts(
                cluster_id=cluster,
                windows=[
                    TouchedWindow(host=host, starts_at=span[0], ends_at=span[1])
                    for host, span in spans.items()
                ],
            )
            assert found == [
                each
                for each in attempts
                if any(_ran(each, host, span) for host, span in spans.items())
            ]


def _ran(attempt: Attempt, host: str, span: tuple[datetime | None, datetime | None]) -> bool:
    starts_at, ends_at = span
    if host and host not in attempt.hosts:
        return False
    if attempt.started_at and ends_at and attempt.started_at > ends_at + touched_windows.BEFORE:
        return False
    return not (
        attempt.ended_at and starts_at and attempt.ended_at < starts_at - touched_windows.AFTER
    )
