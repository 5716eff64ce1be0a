"""What came in and waits: leased in groups, worked on for a turn, set aside where it fails.

Logs, pushed metrics and submissions wait alike. A lease is written before the work begins and
counts the attempt, so a worker that dies of what it reads gives it back, and not for ever.
"""

import logging
import traceback
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError
from django.db.models import QuerySet

from apps.telemetry.limits.processor_budget import OverBudget
from apps.telemetry.models import Batch, BatchState, PushedBody, Submission
from apps.tenancy.scope import organization_scope
from apps.tenancy.work.leases import Lease

logger = logging.getLogger(__name__)

ATTEMPT_LIMIT: Final = 3
# A worker that died holds what it leased no longer than this.
LEASE: Final = Lease(lasts=timedelta(seconds=20), attempts="attempt_count")
Row = tuple[int, int, int, int]  # id, bytes, weight, attempts


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeTurn:
    """What a turn did. `amount` is what the rows held: lines, samples, entries."""

    row_count: int = 0
    amount: int = 0
    is_more: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLimits:
    """How much is worked on at once. `weight_field` counts what makes it dear beside bytes."""

    byte_count: int
    weight_field: str
    weight: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeQueue:
    """What waits of one organization, or of one of its sources.

    `rows` are those that wait; `take_turn` says whether one more may work on them until the
    transaction ends, and where it is None the oldest row alone is worked on, outside any scope;
    `work` does a group and says how much it was; `set_aside` ends a row.
    """

    name: str  # of what waits, in lines of the log
    organization_id: int
    rows: Callable[[], QuerySet[Any]]
    take_turn: Callable[[], bool] | None
    work: Callable[[list[int], datetime], int]
    set_aside: Callable[[int, str, datetime], None]
    limits: GroupLimits
    lease: Lease = LEASE
    verb: str = "interpreted"  # what could not be done with a row that fails

    def step(self, *, now: Callable[[], datetime]) -> tuple[int, int] | None:
        """Work on one group; None when there is nothing to do, or enough others do it.

        Returns how many rows were done, and how much that was.
        """
        group = self.claim(now=now())
        if not group:
            return None
        try:
            amount = self._work(group, now())
        except OperationalError:
            # The database is away, or a row is held: nobody's fault, tried again by the task.
            with organization_scope(self.organization_id):
                self._release(group)
            raise
        except (OverBudget, SoftTimeLimitExceeded) as error:
            self._note_slowness(group, error, now())
            return (0, 0)
        except Exception as error:  # noqa: BLE001  a poisonous row must not stop the others
            self._note_failure(group, error)
            return (0, 0)
        return None if amount is None else (len(group), amount)

    def claim(self, *, now: datetime) -> list[int]:
        """Lease the oldest rows and count the attempt, durably: a worker may die of them."""
        with organization_scope(self.organization_id):
            if self.take_turn is not None and not self.take_turn():
                return []
            self._end_spent(now)
            group = self._group(self._oldest(now))
            # One at a time and in order: where the oldest is another's, there is nothing to do.
            return group if self.lease.take(self._leased(group), now=now) else []

    def _work(self, group: list[int], now: datetime) -> int | None:
        if self.take_turn is None:
            return self.work(group, now)
        with organization_scope(self.organization_id):
            if self.take_turn():
                return self.work(group, now)
            self._release(group)
        return None

    def _oldest(self, now: datetime) -> list[Row]:
        rows = self.rows().order_by("id")
        if self.take_turn is not None:
            rows = rows.filter(self.lease.free(now=now)).select_for_update(skip_locked=True)
        fields = ("id", "byte_count", self.limits.weight_field, "attempt_count")
        return list(rows.values_list(*fields)[: self.limits.count])

    def _group(self, rows: list[Row]) -> list[int]:
        """Return what is worked on at once: a row that failed before stands alone."""
        if rows and rows[0][3] > 0:
            return [rows[0][0]]
        group: list[int] = []
        size = weight = 0
        for pk, byte_count, row_weight, attempt_count in rows:
            size, weight = size + byte_count, weight + row_weight
            is_full = size > self.limits.byte_count or weight > self.limits.weight
            if attempt_count or (group and is_full):
                break
            group.append(pk)
        return group

    def _end_spent(self, now: datetime) -> None:
        """Set aside what was tried often enough."""
        free = self.rows().filter(self.lease.free(now=now))
        spent = free.filter(attempt_count__gte=ATTEMPT_LIMIT)
        found = spent.select_for_update(skip_locked=True).order_by("id")  # one may still be read
        for pk, error in found.values_list("id", "error"):
            self.set_aside(pk, error or f"its worker died {ATTEMPT_LIMIT} times", now)

    def _release(self, group: list[int]) -> None:
        self._leased(group).update(**self.lease.untried)

    def _leased(self, group: list[int]) -> QuerySet[Any]:
        return self.rows().filter(pk__in=group)

    def _note_slowness(self, group: list[int], error: Exception, now: datetime) -> None:
        """Set a row aside that takes too long alone; of several, let each show what it takes."""
        if len(group) > 1:
            self._note_failure(group, error)
            return
        is_known = isinstance(error, OverBudget)
        with organization_scope(self.organization_id):
            reason = str(error) if is_known else "took longer than a task may run"
            self.set_aside(group[0], reason, now)

    def _note_failure(self, group: list[int], error: Exception) -> None:
        """Keep the kind of error and where it came from, never its text: that may quote a line."""
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{frame.name}:{frame.lineno} {type(error).__name__}"
        logger.error(
            "%s.failed",
            self.name,
            extra={"organization": self.organization_id, "count": len(group), "where": where},
        )
        with organization_scope(self.organization_id):
            said = f"could not be {self.verb} ({type(error).__name__})"
            self._leased(group).update(error=said, **self.lease.let_go)


def take_turn(
    *,
    queues: Iterable[IntakeQueue],
    seconds: float,
    clock: Callable[[], float],
    now: Callable[[], datetime],
) -> IntakeTurn:
    """Work on what waits in each queue, oldest first, until nothing does or the turn is over."""
    ends_at = clock() + seconds
    row_count = amount = 0
    for queue in queues:
        while clock() < ends_at:
            step = queue.step(now=now)
            if step is None:
                break
            row_count, amount = row_count + step[0], amount + step[1]
        else:
            return IntakeTurn(row_count=row_count, amount=amount, is_more=True)
    return IntakeTurn(row_count=row_count, amount=amount)


def waiting_organizations(
    *, model: type[Batch | PushedBody | Submission], organization_ids: Collection[int]
) -> list[int]:
    """Return the organizations with rows that nobody worked on yet."""
    with organization_scope(*organization_ids):
        waiting = model.objects.filter(state=BatchState.ACCEPTED)
        return sorted(set(waiting.values_list("organization_id", flat=True)))
