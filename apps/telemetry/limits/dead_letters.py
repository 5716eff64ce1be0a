"""What could not be read waits once more when the code changed: one at a time, the oldest first."""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet

from apps.telemetry.limits.intake_queue import ATTEMPT_LIMIT
from apps.telemetry.models import Batch, BatchState, PushedBody
from apps.tenancy.scope import organization_scope

logger = logging.getLogger(__name__)

# What is left of its tries when newer code meets it: one.
TRIES_BEFORE: Final = ATTEMPT_LIMIT - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetters:
    """Rows of one kind that were set aside.

    `given_up` are the records of those that only other code gave up, of whom is in scope, and
    `row_id` their column that names the row; `revive` lets rows wait again after so many tries,
    and says how many did.
    """

    name: str  # of a row, in lines of the log
    model: type[Batch | PushedBody]
    given_up: Callable[[], QuerySet[Any]]
    row_id: str
    revive: Callable[[int, list[int], int], int]

    def try_again(self, *, organization_ids: Collection[int]) -> int:
        """Let a row of each organization that only other code gave up wait once more."""
        with organization_scope(*organization_ids):
            owners = sorted(set(self.given_up().values_list("organization_id", flat=True)))
        return sum(map(self._one_again, owners))

    def _one_again(self, organization_id: int) -> int:
        """Let the oldest wait unless one does: what is new must not wait for all of them."""
        with organization_scope(organization_id):
            waiting = self.model.objects.for_organization(organization_id).filter(
                state=BatchState.ACCEPTED, attempt_count__gte=TRIES_BEFORE
            )
            if waiting.exists():
                return 0
            rows = self.given_up().filter(organization_id=organization_id).order_by("id")
            oldest = rows.values_list(self.row_id, flat=True).first()
            if oldest is None:  # another sweep was quicker
                return 0
            count = self.revive(organization_id, [int(oldest)], TRIES_BEFORE)
        extra = {"organization": organization_id, "row": int(oldest)}
        logger.info("%s.tried_again", self.name, extra=extra)
        return count
