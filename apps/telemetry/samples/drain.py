"""Whose pushed metrics go into the window next: one source at a time, a few seconds a turn."""

import logging
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError
from django.db.models import F, Q

from apps.telemetry.limits.processor_budget import OverBudget
from apps.telemetry.models import BatchState, PushedBody, Source
from apps.telemetry.samples import interpret, set_aside
from apps.telemetry.samples.source_lock import has_turn
from apps.tenancy.scope import organization_scope

logger = logging.getLogger(__name__)

ATTEMPT_LIMIT: Final = 3
# About a second of work, and some ten megabytes as columns.
GROUP_SAMPLES: Final = 100_000
GROUP_BYTES: Final = 8 * 2**20
GROUP_COUNT: Final = 500
TURN_SECONDS: Final = 1.0
# A worker that died holds its bodies no longer than this.
LEASE: Final = timedelta(seconds=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a turn did."""

    body_count: int = 0
    sample_count: int = 0
    is_more: bool = False


def take_turn(
    *, organization_id: int, clock: Callable[[], float], now: Callable[[], datetime]
) -> Turn:
    """Put what an organization pushed into its windows, oldest first, until the turn is over."""
    ends_at = clock() + TURN_SECONDS
    bodies, samples = 0, 0
    for source_id in _waiting_sources(organization_id):
        while clock() < ends_at:
            step = _step(organization_id=organization_id, source_id=source_id, now=now)
            if step is None:
                break
            bodies, samples = bodies + step[0], samples + step[1]
    is_more = clock() >= ends_at
    return Turn(body_count=bodies, sample_count=samples, is_more=is_more)


def waiting_organizations(*, organization_ids: list[int]) -> list[int]:
    """Return the organizations with pushed bodies that are in no window yet."""
    with organization_scope(*organization_ids):
        waiting = PushedBody.objects.filter(state=BatchState.ACCEPTED)
        return sorted(set(waiting.values_list("organization_id", flat=True)))


def _waiting_sources(organization_id: int) -> list[int]:
    with organization_scope(organization_id):
        own = PushedBody.objects.for_organization(organization_id)
        waiting = own.filter(state=BatchState.ACCEPTED).values_list("source_id", flat=True)
        return sorted(set(waiting))


def _step(
    *, organization_id: int, source_id: int, now: Callable[[], datetime]
) -> tuple[int, int] | None:
    """Interpret one group; None when there is nothing to do, or somebody else does it."""
    group = _claim(organization_id=organization_id, source_id=source_id, now=now())
    if not group:
        return None
    try:
        with organization_scope(organization_id):
            if not has_turn(source_id=source_id):
                _release(organization_id=organization_id, group=group)
                return None
            count = _interpret(organization_id, source_id, group, now())
    except OperationalError:
        # The database is away, or a row is held: nobody's fault, tried again by the task.
        with organization_scope(organization_id):
            _release(organization_id=organization_id, group=group)
        raise
    except (OverBudget, SoftTimeLimitExceeded) as error:
        _note_slowness(organization_id=organization_id, group=group, error=error, now=now())
        return (0, 0)
    except Exception as error:  # noqa: BLE001  a poisonous body must not stop the others
        _note_failure(organization_id=organization_id, group=group, error=error)
        return (0, 0)
    return (len(group), count)


def _interpret(organization_id: int, source_id: int, group: list[int], now: datetime) -> int:
    own = PushedBody.objects.for_organization(organization_id)
    # Whoever waited for this turn finds nothing left of what another did meanwhile.
    bodies = list(own.filter(pk__in=group, state=BatchState.ACCEPTED).order_by("id"))
    if not bodies:
        return 0
    source = Source.objects.for_organization(organization_id).get(pk=source_id)
    return interpret.interpret_bodies(source=source, bodies=bodies, now=now).sample_count


def _claim(*, organization_id: int, source_id: int, now: datetime) -> list[int]:
    """Lease the oldest waiting bodies and count the attempt, durably: a worker may die of them."""
    with organization_scope(organization_id):
        if not has_turn(source_id=source_id):
            return []
        own = PushedBody.objects.for_organization(organization_id)
        waiting = own.filter(source_id=source_id, state=BatchState.ACCEPTED)
        _bury(organization_id=organization_id, source_id=source_id, now=now)
        free = waiting.filter(Q(enqueued_at=None) | Q(enqueued_at__lt=now - LEASE))
        rows = free.select_for_update(skip_locked=True).order_by("id")
        fields = ("id", "byte_count", "sample_count", "attempt_count")
        group = _group(list(rows.values_list(*fields)[:GROUP_COUNT]))
        waiting.filter(pk__in=group).update(attempt_count=F("attempt_count") + 1, enqueued_at=now)
    return group


def _group(rows: Sequence[tuple[int, int, int, int]]) -> list[int]:
    """Return what is interpreted at once: a body that failed before stands alone."""
    if rows and rows[0][3] > 0:
        return [rows[0][0]]
    group: list[int] = []
    size = samples = 0
    for pk, byte_count, sample_count, attempt_count in rows:
        size, samples = size + byte_count, samples + sample_count
        if attempt_count or (group and (size > GROUP_BYTES or samples > GROUP_SAMPLES)):
            break
        group.append(pk)
    return group


def _bury(*, organization_id: int, source_id: int, now: datetime) -> None:
    """Set aside bodies that were tried often enough."""
    own = PushedBody.objects.for_organization(organization_id)
    spent = own.filter(
        source_id=source_id, state=BatchState.ACCEPTED, attempt_count__gte=ATTEMPT_LIMIT
    )
    over = spent.filter(Q(enqueued_at=None) | Q(enqueued_at__lt=now - LEASE))
    for pk, error in over.order_by("id").values_list("id", "error"):
        reason = error or f"its worker died {ATTEMPT_LIMIT} times"
        set_aside.set_aside(organization_id=organization_id, body_id=pk, reason=reason, now=now)


def _release(*, organization_id: int, group: list[int]) -> None:
    own = PushedBody.objects.for_organization(organization_id).filter(pk__in=group)
    own.update(attempt_count=F("attempt_count") - 1, enqueued_at=None)


def _note_slowness(
    *, organization_id: int, group: list[int], error: Exception, now: datetime
) -> None:
    """Set a body aside that takes too long alone; of several, let each show what it takes."""
    if len(group) > 1:
        _note_failure(organization_id=organization_id, group=group, error=error)
        return
    reason = str(error) if isinstance(error, OverBudget) else "took longer than a task may run"
    with organization_scope(organization_id):
        set_aside.set_aside(
            organization_id=organization_id, body_id=group[0], reason=reason, now=now
        )


def _note_failure(*, organization_id: int, group: list[int], error: Exception) -> None:
    """Keep the kind of error and where it came from, never its text."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{frame.name}:{frame.lineno} {type(error).__name__}"
    logger.error(
        "pushed.failed",
        extra={"organization": organization_id, "bodies": len(group), "where": where},
    )
    with organization_scope(organization_id):
        own = PushedBody.objects.for_organization(organization_id).filter(pk__in=group)
        own.update(error=f"could not be interpreted ({type(error).__name__})", enqueued_at=None)
