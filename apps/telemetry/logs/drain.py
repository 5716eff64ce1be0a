"""Whose batches are interpreted next: one organization at a time, a few seconds a turn."""

import logging
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError
from django.db.models import F, Q

from apps.telemetry.limits.processor_budget import OverBudget
from apps.telemetry.logs import interpret, set_aside
from apps.telemetry.models import Batch, BatchState
from apps.tenancy.database.advisory_locks import Lock, try_hold
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import worker_shares

logger = logging.getLogger(__name__)

ATTEMPT_LIMIT = 3
# Half a second of reading where each line is dear, a twentieth of usual ones; begun before
# the turn is over, it is what another organization waits beyond it.
GROUP_BYTES = 2**20
GROUP_COUNT = 200
GROUP_VOICES = 300
TURN_SECONDS = 0.5
# A worker that died holds its batches no longer than this.
LEASE = timedelta(seconds=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a turn did."""

    batch_count: int = 0
    line_count: int = 0
    is_more: bool = False


def take_turn(
    *, organization_id: int, clock: Callable[[], float], now: Callable[[], datetime]
) -> Turn:
    """Interpret an organization's batches, oldest first, until none waits or the turn is over."""
    ends_at = clock() + TURN_SECONDS
    batches, lines = 0, 0
    while clock() < ends_at:
        step = _step(organization_id=organization_id, now=now)
        if step is None:
            return Turn(batch_count=batches, line_count=lines)
        batches, lines = batches + step[0], lines + step[1]
    return Turn(batch_count=batches, line_count=lines, is_more=True)


def waiting_organizations(*, organization_ids: list[int]) -> list[int]:
    """Return the organizations with batches that nobody interpreted yet."""
    with organization_scope(*organization_ids):
        waiting = Batch.objects.filter(state=BatchState.ACCEPTED)
        return sorted(set(waiting.values_list("organization_id", flat=True)))


def _step(*, organization_id: int, now: Callable[[], datetime]) -> tuple[int, int] | None:
    """Interpret one group; None when there is nothing to do, or enough others do it."""
    group = _claim(organization_id=organization_id, now=now())
    if not group:
        return None
    try:
        with organization_scope(organization_id):
            if not _has_slot(organization_id):
                _release(organization_id=organization_id, group=group)
                return None
            lines = interpret.interpret_batches(
                organization_id=organization_id, batch_ids=group, now=now()
            )
    except OperationalError:
        # The database is away, or a row is held: nobody's fault, tried again by the task.
        with organization_scope(organization_id):
            _release(organization_id=organization_id, group=group)
        raise
    except (OverBudget, SoftTimeLimitExceeded) as error:
        _note_slowness(organization_id=organization_id, group=group, error=error, now=now())
        return (0, 0)
    except Exception as error:  # noqa: BLE001  a poisonous batch must not stop the others
        _note_failure(organization_id=organization_id, group=group, error=error)
        return (0, 0)
    return (len(group), lines)


def _claim(*, organization_id: int, now: datetime) -> list[int]:
    """Lease the oldest waiting batches and count the attempt, durably: a worker may die of them."""
    with organization_scope(organization_id):
        if not _has_slot(organization_id):
            return []
        own = Batch.objects.for_organization(organization_id).filter(state=BatchState.ACCEPTED)
        _bury(organization_id=organization_id, now=now)
        free = own.filter(Q(enqueued_at=None) | Q(enqueued_at__lt=now - LEASE))
        rows = free.select_for_update(skip_locked=True).order_by("id")
        fields = ("id", "byte_count", "voice_count", "attempt_count")
        group = _group(list(rows.values_list(*fields)[:GROUP_COUNT]))
        own.filter(pk__in=group).update(attempt_count=F("attempt_count") + 1, enqueued_at=now)
    return group


def _group(rows: list[tuple[int, int, int, int]]) -> list[int]:
    """Return what is interpreted at once: a batch that failed before stands alone."""
    if rows and rows[0][3] > 0:
        return [rows[0][0]]
    group: list[int] = []
    size = voices = 0
    for pk, byte_count, voice_count, attempt_count in rows:
        size, voices = size + byte_count, voices + voice_count
        if attempt_count or (group and (size > GROUP_BYTES or voices > GROUP_VOICES)):
            break
        group.append(pk)
    return group


def _bury(*, organization_id: int, now: datetime) -> None:
    """Set aside batches that were tried often enough; their lines stay readable in the row."""
    own = Batch.objects.for_organization(organization_id).filter(state=BatchState.ACCEPTED)
    spent = own.filter(attempt_count__gte=ATTEMPT_LIMIT)
    over = spent.filter(Q(enqueued_at=None) | Q(enqueued_at__lt=now - LEASE))
    found = over.select_for_update(skip_locked=True).order_by("id")  # one may still be read
    for pk, error in found.values_list("id", "error"):
        reason = error or f"its worker died {ATTEMPT_LIMIT} times"
        set_aside.set_aside(organization_id=organization_id, batch_id=pk, reason=reason, now=now)


def _release(*, organization_id: int, group: list[int]) -> None:
    own = Batch.objects.for_organization(organization_id).filter(pk__in=group)
    own.update(attempt_count=F("attempt_count") - 1, enqueued_at=None)


def _note_slowness(
    *, organization_id: int, group: list[int], error: Exception, now: datetime
) -> None:
    """Set a batch aside that takes too long alone; of several, let each show what it takes."""
    if len(group) > 1:
        _note_failure(organization_id=organization_id, group=group, error=error)
        return
    reason = str(error) if isinstance(error, OverBudget) else "took longer than a task may run"
    with organization_scope(organization_id):
        set_aside.set_aside(
            organization_id=organization_id, batch_id=group[0], reason=reason, now=now
        )


def _note_failure(*, organization_id: int, group: list[int], error: Exception) -> None:
    """Keep the kind of error and where it came from, never its text: that may quote a line."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{frame.name}:{frame.lineno} {type(error).__name__}"
    logger.error(
        "batch.failed",
        extra={"organization": organization_id, "batches": len(group), "where": where},
    )
    with organization_scope(organization_id):
        own = Batch.objects.for_organization(organization_id).filter(pk__in=group)
        own.update(error=f"could not be interpreted ({type(error).__name__})", enqueued_at=None)


def _has_slot(organization_id: int) -> bool:
    """Take one of the organization's slots until the transaction ends."""
    slots = range(worker_shares.of_one())
    return any(try_hold(Lock.LOG_READING, f"{organization_id}/{slot}") for slot in slots)
