"""A crash loop is told to the job's tenant once, when the fourth attempt has ended in vain."""

from datetime import timedelta

import pytest

from apps.fleet.models import Attempt, Session
from apps.notifications.models import Notification
from apps.notifications.notification_kinds import NotificationKind
from apps.reliability.measures.measure_session import measure_session
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import Cast, cast
from tests.cast.retry_stories import lines, story
from tests.cast.told_runs import START, push_run

SOON = START + timedelta(hours=6)


def look(people: Cast, *, hours: float = 0) -> None:
    """Measure all sessions of the tenant."""
    with organization_scope(people.tenant.pk):
        ids = list(Session.objects.values_list("pk", flat=True))
    for each in ids:
        measure_session(
            organization_id=people.tenant.pk, session_id=each, now=SOON + timedelta(hours=hours)
        )


def told(organization: Organization) -> list[str]:
    """Return what an organization was told of loops."""
    with organization_scope(organization.pk):
        rows = Notification.objects.filter(kind=NotificationKind.CRASH_LOOP).order_by("id")
        return [row.body["title"] for row in rows]


@pytest.mark.django_db
def test_the_tenant_is_told_once_with_the_session_and_what_it_burnt() -> None:
    people = cast()
    story(people, saves=(100, None, None, None))
    for _twice in range(2):
        look(people)
    assert told(people.tenant) == ["solar-7b: 3 retries ended without a newer checkpoint"]
    assert told(people.operator) == told(people.platform) == told(people.other) == []
    with organization_scope(people.tenant.pk):
        (notice,) = Notification.objects.filter(kind=NotificationKind.CRASH_LOOP)
        public_id = Session.objects.get().public_id
    assert notice.body["url"].endswith(f"/sessions/{public_id}/")
    assert notice.body["loop"] == {
        "session": public_id, "attempt": 4, "retries": 3, "gpu_hours": 96.0,
        "ended_at": "2026-11-22T15:14:00Z",
    }  # fmt: skip


@pytest.mark.django_db
def test_one_more_retry_of_the_same_loop_is_no_news() -> None:
    people = cast()
    story(people, saves=(100, None, None, None))
    look(people)
    begin = START + timedelta(hours=4)
    push_run(people, attempt=5, lines=lines(begin))
    with organization_scope(people.tenant.pk):
        Attempt.objects.filter(number=5).update(
            started_at=begin, ended_at=begin + timedelta(minutes=9), state="failed"
        )
    look(people)
    assert len(told(people.tenant)) == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    "saves", [(100, None, None), (100, None, 140, None, None), (100, None, None, 140)]
)
def test_fewer_retries_or_a_newer_checkpoint_are_no_loop(saves: tuple[int | None, ...]) -> None:
    people = cast()
    story(people, saves=saves)
    look(people)
    assert told(people.tenant) == []


@pytest.mark.django_db
def test_a_loop_of_the_day_before_is_no_news() -> None:
    people = cast()
    story(people, saves=(100, None, None, None))
    look(people, hours=30)
    assert told(people.tenant) == []
