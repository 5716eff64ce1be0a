"""What changed for open pages: in the order of commits, nothing lost and nothing twice."""

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connections, transaction

from apps.tenancy.changes import subscribers
from apps.tenancy.changes.announcements import announce, announce_sharing
from apps.tenancy.changes.replay import KEPT_FOR, OrderedChange, read_after, replay, retire
from apps.tenancy.models import Organization, PageChange, Topic
from apps.tenancy.scope import organization_scope
from tests.cast import make

NOW = make.AT
SEVERAL = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ours() -> Organization:
    """Make the organization whose pages are open."""
    return make.organization()


@pytest.fixture
def theirs() -> Organization:
    """Make another one."""
    return make.organization()


@pytest.fixture
def other_connection() -> Iterator[Callable[[Callable[[], object]], object]]:
    """Return a way to do something in a thread with a connection of its own."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        yield lambda act: pool.submit(act).result()
        pool.submit(connections.close_all).result()


def _say(*readers: Organization, subject: int) -> None:
    announce(topic=Topic.SESSION, subject=subject, readers=[each.pk for each in readers])


def _subjects(changes: tuple[OrderedChange, ...]) -> list[int | None]:
    return [each.subject for each in changes]


def _after(organization: Organization, number: int = 0) -> tuple[OrderedChange, ...]:
    return read_after(numbers={organization.pk: number}, now=NOW)


@pytest.mark.django_db
def test_each_reader_has_what_it_was_told_and_nothing_of_the_others(
    ours: Organization, theirs: Organization
) -> None:
    _say(ours, theirs, subject=1)
    _say(theirs, subject=2)
    announce_sharing([ours.pk])
    assert _subjects(_after(ours)) == [1, None]
    assert _subjects(_after(theirs)) == [1, 2]


@SEVERAL
def test_streams_of_this_process_are_hinted_at_what_is_durable_alone(
    ours: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    hints: list[bool] = []
    monkeypatch.setattr(subscribers, "CALLBACKS", [lambda: hints.append(True)])
    with transaction.atomic():
        _say(ours, subject=1)
        assert hints == []
    assert hints == [True]
    with suppress(ValueError), transaction.atomic():
        _say(ours, subject=2)
        raise ValueError
    assert hints == [True]


@pytest.mark.django_db
def test_nothing_is_read_twice_from_where_the_last_look_ended(ours: Organization) -> None:
    _say(ours, subject=1)
    first = _after(ours)
    assert _after(ours, first[-1].number) == ()
    _say(ours, subject=2)
    assert _subjects(_after(ours, first[-1].number)) == [2]


@pytest.mark.django_db
def test_a_replay_goes_on_after_the_code_that_came_last(ours: Organization) -> None:
    for subject in range(5):
        _say(ours, subject=subject)
    codes = [each.code for each in _after(ours)]
    for heard, code in enumerate(codes):
        found = replay(organization_id=ours.pk, code=code, since=None, now=NOW)
        assert found.is_complete
        assert len(found.changes) == 4 - heard
    assert replay(organization_id=ours.pk, code="", since=None, now=NOW).changes == ()


@pytest.mark.django_db
def test_a_code_of_others_or_of_nobody_is_no_place_to_go_on_from(
    ours: Organization, theirs: Organization
) -> None:
    _say(ours, subject=1)
    code = _after(ours)[0].code
    for strange in (replay(organization_id=theirs.pk, code=code, since=None, now=NOW),):
        assert not strange.is_complete
        assert strange.changes == ()
    assert not replay(organization_id=ours.pk, code="no-such", since=None, now=NOW).is_complete


@pytest.mark.django_db
def test_from_a_moment_on_what_was_numbered_later_comes(ours: Organization) -> None:
    _say(ours, subject=1)
    _after(ours)
    _say(ours, subject=2)
    later = NOW + timedelta(minutes=1)
    found = replay(organization_id=ours.pk, code="", since=later, now=later)
    assert _subjects(found.changes) == [2]
    assert found.number == found.changes[-1].number


@SEVERAL
def test_what_was_begun_first_and_ended_last_comes_last_and_is_not_lost(
    ours: Organization, other_connection: Callable[[Callable[[], object]], object]
) -> None:
    with transaction.atomic():
        _say(ours, subject=1)  # has the lower row number
        other_connection(lambda: _say(ours, subject=2))
        found = other_connection(lambda: _after(ours))
        assert isinstance(found, tuple)
        assert _subjects(found) == [2]
    assert _subjects(_after(ours, found[-1].number)) == [1]
    again = replay(organization_id=ours.pk, code=found[-1].code, since=None, now=NOW)
    assert _subjects(again.changes) == [1]


@SEVERAL
def test_many_writers_and_readers_lose_and_double_nothing(ours: Organization) -> None:
    barrier = Barrier(4)

    def write(first: int) -> list[int | None]:
        barrier.wait()
        for subject in random.sample(range(first, first + 25), 25):
            _say(ours, subject=subject)
        connections.close_all()
        return []

    def read(_: int) -> list[int | None]:
        barrier.wait()
        heard: list[int | None] = []
        number = 0
        while len(heard) < 50:
            found = _after(ours, number)
            heard += _subjects(found)
            number = found[-1].number if found else number
        connections.close_all()
        return heard

    with ThreadPoolExecutor(max_workers=4) as pool:
        writing = [pool.submit(write, first) for first in (0, 25)]
        reading = [pool.submit(read, 0) for _ in range(2)]
        heard = [each.result(timeout=60) for each in reading]
        assert [each.result() for each in writing] == [[], []]
    assert heard[0] == heard[1]
    assert sorted(each or 0 for each in heard[0]) == list(range(50))


@pytest.mark.django_db
def test_what_is_old_goes_and_what_is_new_stays(ours: Organization) -> None:
    _say(ours, subject=1)
    with organization_scope(ours.pk):
        made = PageChange.objects.for_organization(ours).get().created_at
        retire(organization_id=ours.pk, now=made + KEPT_FOR)
        assert PageChange.objects.for_organization(ours).count() == 1
        retire(organization_id=ours.pk, now=made + KEPT_FOR + timedelta(seconds=1))
        assert PageChange.objects.for_organization(ours).count() == 0
