"""Rows of work: one worker holds each, until it lets go or its lease runs out."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db.models import QuerySet

from apps.notifications.models import Webhook
from apps.telemetry.models import BatchState, Submission
from apps.telemetry.submission_kinds import SubmissionKind
from apps.tenancy.models import Confirmation, User
from apps.tenancy.scope import organization_scope
from apps.tenancy.work.leases import MOST_AHEAD, Lease, pause_after
from tests.cast.incidents import Cast

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)
COUNTED = Lease(lasts=timedelta(seconds=60), attempts="attempt_count")
RESTING = Lease(lasts=timedelta(seconds=60), due="rests_until")
PUT_OFF = Lease(lasts=timedelta(minutes=5), until="due_at", due="due_at")


def submission(cast: Cast) -> QuerySet[Submission]:
    """Return a row that has a lease and a count of its tries."""
    row = Submission.objects.create(
        organization=cast.tenant,
        cluster=cast.cluster,
        kind=SubmissionKind.INVENTORY,
        digest=b"1",
        received_at=NOW,
        state=BatchState.ACCEPTED,
        body=b"",
    )
    return Submission.objects.for_organization(cast.tenant).filter(pk=row.pk)


def test_one_of_two_has_a_row_until_its_lease_runs_out(cast: Cast) -> None:
    with organization_scope(cast.tenant.pk):
        rows = submission(cast)
        assert COUNTED.take(rows, now=NOW) == 1
        ends_at = NOW + COUNTED.lasts
        assert COUNTED.take(rows, now=ends_at - MOMENT) == 0
        assert COUNTED.is_held(rows.get(), now=ends_at - MOMENT)
        assert not COUNTED.is_held(rows.get(), now=ends_at)
        assert COUNTED.take(rows, now=ends_at) == 1
        assert rows.get().attempt_count == 2


def test_a_lease_of_a_clock_that_is_far_ahead_holds_nothing(cast: Cast) -> None:
    with organization_scope(cast.tenant.pk):
        rows = submission(cast)
        COUNTED.take(rows, now=NOW + timedelta(days=1))
        assert not COUNTED.is_held(rows.get(), now=NOW)
        assert COUNTED.take(rows, now=NOW) == 1
        assert rows.get().claimed_until == NOW + COUNTED.lasts


def test_a_lease_of_a_clock_that_is_a_little_ahead_is_respected(cast: Cast) -> None:
    with organization_scope(cast.tenant.pk):
        rows = submission(cast)
        COUNTED.take(rows, now=NOW + MOST_AHEAD)
        assert COUNTED.is_held(rows.get(), now=NOW)
        assert COUNTED.take(rows, now=NOW) == 0


def test_what_is_let_go_is_free_at_once_and_a_try_that_was_none_not_counted(cast: Cast) -> None:
    with organization_scope(cast.tenant.pk):
        rows = submission(cast)
        COUNTED.take(rows, now=NOW)
        rows.update(**COUNTED.untried)
        assert rows.get().attempt_count == 0
        assert COUNTED.take(rows, now=NOW) == 1
        rows.update(**COUNTED.let_go)
        assert rows.get().attempt_count == 1
        assert not COUNTED.is_held(rows.get(), now=NOW)
        assert COUNTED.take(rows, now=NOW, error="second") == 1
        assert rows.get().error == "second"


def test_a_row_is_taken_when_its_time_has_come_and_nobody_holds_it(cast: Cast) -> None:
    with organization_scope(cast.tenant.pk):
        row = Webhook.objects.create(
            organization=cast.tenant, url="https://a.example", secret=b"", created_at=NOW
        )
        rows = Webhook.objects.for_organization(cast.tenant).filter(pk=row.pk)
        rows.update(rests_until=NOW)
        assert RESTING.take(rows, now=NOW - MOMENT) == 0
        assert RESTING.take(rows, now=NOW) == 1
        rows.update(rests_until=None)
        assert RESTING.take(rows, now=NOW) == 0  # held still
        rows.update(**RESTING.let_go)
        assert RESTING.take(rows, now=NOW) == 1


@pytest.mark.django_db
def test_one_column_for_both_puts_a_row_off_and_an_empty_one_waits_for_nothing() -> None:
    user = User.objects.create_user(username="ann", email="ann@a.example")
    Confirmation.objects.create(user=user, email=user.email, asked_at=NOW)
    rows = Confirmation.objects.filter(user=user)
    assert PUT_OFF.take(rows, now=NOW) == 0
    rows.update(due_at=NOW)
    assert PUT_OFF.take(rows, now=NOW) == 1
    assert rows.get().due_at == NOW + PUT_OFF.lasts
    assert PUT_OFF.take(rows, now=NOW) == 0


@pytest.mark.parametrize(
    ("failures", "seconds"), [(0, 2), (1, 2), (2, 4), (3, 8), (4, 16), (5, 20), (10_000, 20)]
)
def test_each_failure_in_a_row_doubles_the_pause_up_to_the_longest(
    failures: int, seconds: int
) -> None:
    pause = pause_after(
        failures=failures, first=timedelta(seconds=2), longest=timedelta(seconds=20)
    )
    assert pause == timedelta(seconds=seconds)
