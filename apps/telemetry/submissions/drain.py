"""Whose submissions are carried out next: one organization at a time, in order, for a turn."""

import logging
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import OperationalError
from django.db.models import F, Q

from apps.telemetry.models import BatchState, Submission
from apps.telemetry.submissions.carry_out import carry_out
from apps.tenancy.scope import organization_scope

logger = logging.getLogger(__name__)

ATTEMPT_LIMIT: Final = 3
TURN_SECONDS: Final = 1.0
# A worker that died holds a piece no longer than this; longer than one ever takes.
LEASE: Final = timedelta(seconds=60)
KEPT: Final = timedelta(days=7)
DROPPED_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a turn did."""

    piece_count: int = 0
    is_more: bool = False


def take_turn(
    *, organization_id: int, clock: Callable[[], float], now: Callable[[], datetime]
) -> Turn:
    """Carry out an organization's pieces, oldest first, until none waits or the turn is over."""
    ends_at = clock() + TURN_SECONDS
    done = 0
    while clock() < ends_at:
        submission = _claim(organization_id=organization_id, now=now())
        if submission is None:
            _drop_old(organization_id=organization_id, now=now())
            return Turn(piece_count=done)
        _take(submission=submission, now=now)
        done += 1
    return Turn(piece_count=done, is_more=True)


def waiting_organizations(*, organization_ids: list[int]) -> list[int]:
    """Return the organizations with submissions that nobody carried out yet."""
    with organization_scope(*organization_ids):
        waiting = Submission.objects.filter(state=BatchState.ACCEPTED)
        return sorted(set(waiting.values_list("organization_id", flat=True)))


def _take(*, submission: Submission, now: Callable[[], datetime]) -> None:
    try:
        accepted, rejected = carry_out(submission=submission)
    except OperationalError:
        _finish(submission=submission, claimed_until=None, attempt_count=F("attempt_count") - 1)
        raise  # the database is away, or a row is held: tried again by the task
    except Exception as error:  # noqa: BLE001  a poisonous piece must not stop the others
        _note_failure(submission=submission, error=error, now=now())
    else:
        _finish(
            submission=submission,
            state=BatchState.INTERPRETED,
            accepted_count=accepted,
            rejected=rejected,
            finished_at=now(),
            body=b"",
        )


def _claim(*, organization_id: int, now: datetime) -> Submission | None:
    """Lease the oldest piece, and count the attempt; None where it is another's just now."""
    with organization_scope(organization_id):
        waiting = Submission.objects.for_organization(organization_id).filter(
            state=BatchState.ACCEPTED
        )
        free = Q(claimed_until=None) | Q(claimed_until__lt=now)
        spent = waiting.filter(free, attempt_count__gte=ATTEMPT_LIMIT)
        spent.update(state=BatchState.DEAD, finished_at=now)
        oldest = waiting.order_by("id").first()
        if oldest is None:
            return None
        # In order and one at a time: a later link or mount is the one that holds.
        won = waiting.filter(free, pk=oldest.pk).update(
            claimed_until=now + LEASE, attempt_count=F("attempt_count") + 1
        )
        return oldest if won else None


def _finish(*, submission: Submission, **values: Any) -> None:
    with organization_scope(submission.organization_id):
        own = Submission.objects.for_organization(submission.organization_id)
        own.filter(pk=submission.pk).update(**values)


def _note_failure(*, submission: Submission, error: Exception, now: datetime) -> None:
    """Keep the kind of error and where it came from, never its text; set aside at the last."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{frame.name}:{frame.lineno} {type(error).__name__}"
    is_last = submission.attempt_count + 1 >= ATTEMPT_LIMIT
    logger.error(
        "submission.failed",
        extra={"organization": submission.organization_id, "where": where, "is_last": is_last},
    )
    _finish(
        submission=submission,
        claimed_until=None,
        error=f"could not be carried out ({type(error).__name__})",
        **({"state": BatchState.DEAD, "finished_at": now} if is_last else {}),
    )


def _drop_old(*, organization_id: int, now: datetime) -> None:
    """Forget what became of pieces that were carried out long ago."""
    with organization_scope(organization_id):
        own = Submission.objects.for_organization(organization_id)
        old = own.filter(finished_at__lt=now - KEPT).order_by("id")
        own.filter(pk__in=list(old.values_list("pk", flat=True)[:DROPPED_AT_ONCE])).delete()
