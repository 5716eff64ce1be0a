"""Whose submissions are carried out next: one organization at a time, in order, for a turn."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

from celery.exceptions import SoftTimeLimitExceeded

from apps.telemetry.limits import intake_queue
from apps.telemetry.limits.intake_queue import GroupLimits, IntakeQueue, IntakeTurn
from apps.telemetry.models import BatchState, Submission
from apps.telemetry.submissions.carry_out import carry_out
from apps.tenancy.scope import organization_scope
from apps.tenancy.work.leases import Lease

TURN_SECONDS: Final = 1.0
# A worker that died holds a piece no longer than this; longer than one ever takes.
LEASE: Final = Lease(lasts=timedelta(seconds=60), attempts="attempt_count")
# In order and one at a time: a later link or mount is the one that holds.
ONE: Final = GroupLimits(byte_count=0, weight_field="entry_count", weight=0, count=1)
KEPT: Final = timedelta(days=7)
DROPPED_AT_ONCE: Final = 500


def take_turn(
    *, organization_id: int, clock: Callable[[], float], now: Callable[[], datetime]
) -> IntakeTurn:
    """Carry out an organization's pieces, oldest first, until none waits or the turn is over."""
    queue = queue_of(organization_id=organization_id)
    turn = intake_queue.take_turn(queues=(queue,), seconds=TURN_SECONDS, clock=clock, now=now)
    if not turn.is_more:
        _drop_old(organization_id=organization_id, now=now())
    return turn


def queue_of(*, organization_id: int) -> IntakeQueue:
    """Return an organization's pieces as they wait."""
    own = Submission.objects.for_organization(organization_id)
    return IntakeQueue(
        name="submission",
        organization_id=organization_id,
        rows=lambda: own.filter(state=BatchState.ACCEPTED),
        take_turn=None,
        work=lambda group, now: _carry_out(organization_id, group[0], now),
        set_aside=lambda pk, reason, now: _set_aside(organization_id, pk, reason, now),
        limits=ONE,
        lease=LEASE,
        verb="carried out",
    )


def _carry_out(organization_id: int, submission_id: int, now: datetime) -> int:
    with organization_scope(organization_id):
        submission = Submission.objects.for_organization(organization_id).get(pk=submission_id)
    try:
        accepted, rejected = carry_out(submission=submission)
    except SoftTimeLimitExceeded as error:
        raise TimeoutError from error  # small as it is, another time it will be quicker
    _finish(
        organization_id,
        submission_id,
        state=BatchState.INTERPRETED,
        accepted_count=accepted,
        rejected=rejected,
        finished_at=now,
        body=b"",
    )
    return accepted


def _set_aside(organization_id: int, submission_id: int, reason: str, now: datetime) -> None:
    _finish(
        organization_id, submission_id, state=BatchState.DEAD, finished_at=now, error=reason[:300]
    )


def _finish(organization_id: int, submission_id: int, **values: Any) -> None:
    with organization_scope(organization_id):
        own = Submission.objects.for_organization(organization_id)
        own.filter(pk=submission_id).update(**values)


def _drop_old(*, organization_id: int, now: datetime) -> None:
    """Forget what became of pieces that were carried out long ago."""
    with organization_scope(organization_id):
        own = Submission.objects.for_organization(organization_id)
        old = own.filter(finished_at__lt=now - KEPT).order_by("id")
        own.filter(pk__in=list(old.values_list("pk", flat=True)[:DROPPED_AT_ONCE])).delete()
