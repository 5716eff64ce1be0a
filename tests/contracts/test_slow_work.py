"""What outlasts its time on a busy machine is tried again soon, and said where that is no help."""

from datetime import timedelta

import pytest
import time_machine
from celery.exceptions import SoftTimeLimitExceeded

from apps.fleet.models import Attempt
from apps.incidents import tasks as correlating
from apps.incidents.correlation.attempts import due_attempts
from apps.incidents.correlation.correlate import Correlated
from apps.tenancy.models import FailedWork
from apps.tenancy.scope import organization_scope
from apps.tenancy.work.failed_work import ATTEMPT_LIMIT, OVERTIME_RESTS
from tests.cast import make
from tests.cast.clients import member
from tests.cast.incidents import Cast, attempt_of

pytestmark = pytest.mark.django_db


class Slow:
    """A diagnosis that outlasts its time so often, and comes to an end then."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self, **_: object) -> Correlated:
        self.left -= 1
        if self.left >= 0:
            raise SoftTimeLimitExceeded
        return Correlated()


def _looked(attempt: Attempt, *, minutes: float) -> None:
    """Look at an attempt so long after the first time."""
    owner = attempt.organization_id
    now = make.AT + timedelta(minutes=minutes)
    with organization_scope(owner):
        due_attempts.make_due(touched=[(owner, attempt.pk)], now=now)
    with time_machine.travel(now, tick=False):
        correlating.correlate(organization_id=owner, attempt_id=attempt.pk)


def _is_said(cast: Cast, attempt: Attempt) -> bool:
    client = member(cast.tenant).client
    page = client.get(f"/o/{cast.tenant.slug}/sessions/{attempt.session.public_id}/")
    return b"The diagnosis of attempt 1 failed" in page.content


def test_once_too_slow_is_no_failure_that_anybody_reads_of(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = attempt_of(cast, cast.tenant, state="failed")
    monkeypatch.setattr(correlating, "correlate_attempt", Slow(1))
    _looked(attempt, minutes=0)
    assert not _is_said(cast, attempt)
    _looked(attempt, minutes=2)
    with organization_scope(cast.tenant.pk):
        assert not FailedWork.objects.exists()


def test_too_slow_again_and_again_is_said_and_tried_within_minutes(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = attempt_of(cast, cast.tenant, state="failed")
    slow = Slow(ATTEMPT_LIMIT)
    monkeypatch.setattr(correlating, "correlate_attempt", slow)
    for number in range(ATTEMPT_LIMIT):
        _looked(attempt, minutes=5 * number)
    assert _is_said(cast, attempt)
    rests = OVERTIME_RESTS / timedelta(minutes=1)
    last = 5 * (ATTEMPT_LIMIT - 1)
    _looked(attempt, minutes=last + rests - 1)
    assert slow.left == 0  # it rests
    _looked(attempt, minutes=last + rests)
    assert slow.left == -1
    assert not _is_said(cast, attempt)
