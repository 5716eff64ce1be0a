"""What came in and waits to be read: leased in groups, read, set aside where it fails.

Logs and pushed metrics wait alike. A lease is written before the reading begins and counts the
attempt, so a worker that dies of what it reads gives it back, and not for ever.
"""

import logging
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError
from django.db.models import F, Q, QuerySet

from apps.telemetry.limits.processor_budget import OverBudget
from apps.tenancy.scope import organization_scope

logger = logging.getLogger(__name__)

ATTEMPT_LIMIT: Final = 3
# A worker that died holds what it leased no longer than this.
LEASE: Final = timedelta(seconds=20)
Row = tuple[int, int, int, int]  # id, bytes, weight, attempts


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLimits:
    """How much is read at once. `weight_field` counts what makes reading dear beside bytes."""

    byte_count: int
    weight_field: str
    weight: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingQueue:
    """What waits of one organization, or of one of its sources.

    `rows` are those that wait; `take_turn` says whether one more may read them until the
    transaction ends; `read` reads a group and says how much it was; `set_aside` ends a row.
    """

    name: str  # of what waits, in lines of the log
    organization_id: int
    rows: Callable[[], QuerySet[Any]]
    take_turn: Callable[[], bool]
    read: Callable[[list[int], datetime], int]
    set_aside: Callable[[int, str, datetime], None]
    limits: GroupLimits

    def step(self, *, now: Callable[[], datetime]) -> tuple[int, int] | None:
        """Read one group; None when there is nothing to do, or enough others do it.

        Returns how many rows were read, and how much that was.
        """
        group = self.claim(now=now())
        if not group:
            return None
        try:
            with organization_scope(self.organization_id):
                if not self.take_turn():
                    self._release(group)
                    return None
                count = self.read(group, now())
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
        return (len(group), count)

    def claim(self, *, now: datetime) -> list[int]:
        """Lease the oldest rows and count the attempt, durably: a worker may die of them."""
        with organization_scope(self.organization_id):
            if not self.take_turn():
                return []
            self._end_spent(now)
            rows = self._free(now).select_for_update(skip_locked=True).order_by("id")
            fields = ("id", "byte_count", self.limits.weight_field, "attempt_count")
            group = self._group(list(rows.values_list(*fields)[: self.limits.count]))
            self.rows().filter(pk__in=group).update(
                attempt_count=F("attempt_count") + 1, enqueued_at=now
            )
        return group

    def _free(self, now: datetime) -> QuerySet[Any]:
        return self.rows().filter(Q(enqueued_at=None) | Q(enqueued_at__lt=now - LEASE))

    def _group(self, rows: list[Row]) -> list[int]:
        """Return what is read at once: a row that failed before stands alone."""
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
        spent = self._free(now).filter(attempt_count__gte=ATTEMPT_LIMIT)
        found = spent.select_for_update(skip_locked=True).order_by("id")  # one may still be read
        for pk, error in found.values_list("id", "error"):
            self.set_aside(pk, error or f"its worker died {ATTEMPT_LIMIT} times", now)

    def _release(self, group: list[int]) -> None:
        self._leased(group).update(attempt_count=F("attempt_count") - 1, enqueued_at=None)

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
            said = f"could not be interpreted ({type(error).__name__})"
            self._leased(group).update(error=said, enqueued_at=None)
