"""Pushed bodies that could not be read: set aside alone with the reason, tried again by newer code.

They stand among the work that failed: on the page, for `manage.py retry`, and in the measures.
"""

import logging
from collections.abc import Collection
from datetime import datetime
from typing import Final

from django.db.models import QuerySet

from apps.telemetry.limits.dead_letters import DeadLetters
from apps.telemetry.limits.intake_queue import ATTEMPT_LIMIT
from apps.telemetry.models import BatchState, PushedBody
from apps.tenancy.models import FailedWork
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import failed_work
from apps.tenancy.work.failed_work import edition

logger = logging.getLogger(__name__)

KIND: Final = PushedBody.WORK
ERROR_LENGTH: Final = 200


def set_aside(*, organization_id: int, body_id: int, reason: str, now: datetime) -> None:
    """Read a body no more with this code; it stays. Needs the organization's scope."""
    own = PushedBody.objects.for_organization(organization_id)
    own.filter(pk=body_id).update(state=BatchState.DEAD, is_to_forward=False, error=reason)
    said = {
        "attempt_count": ATTEMPT_LIMIT,
        "error": reason[:ERROR_LENGTH],
        "tried_at": now,
        "set_aside_at": now,
        "edition": edition(),
    }
    FailedWork.objects.update_or_create(
        organization_id=organization_id,
        kind=KIND,
        subject=str(body_id),
        defaults=said,
        create_defaults=said | {"began_at": now},
    )
    logger.error(
        "pushed.buried",
        extra={"body": body_id, "organization": organization_id, "reason": reason},
    )


def retry(*, organization_id: int) -> int:
    """Let all that an organization's admins ask for wait once more; return how many."""
    with organization_scope(organization_id):
        rows = FailedWork.objects.for_organization(organization_id).filter(
            kind=KIND, set_aside_at=None
        )
        ids = list(map(int, rows.values_list("subject", flat=True)))
        return revive(organization_id=organization_id, body_ids=ids)


def forget(*, organization_id: int, body_ids: Collection[int]) -> None:
    """Say no more of bodies that they were set aside. Needs the scope."""
    subjects = list(map(str, body_ids))
    failed_work.forget(organization_id=organization_id, kind=KIND, subjects=subjects)


def revive(*, organization_id: int, body_ids: list[int], attempt_count: int = 0) -> int:
    """Let bodies wait to be read, and be forwarded as others of their source are.

    Needs the scope; returns how many were set aside.
    """
    own = PushedBody.objects.for_organization(organization_id)
    dead = own.filter(pk__in=body_ids, state=BatchState.DEAD)
    count = 0
    for body in dead.select_related("source").defer("body").select_for_update(of=("self",)):
        count += own.filter(pk=body.pk).update(
            state=BatchState.ACCEPTED,
            attempt_count=attempt_count,
            claimed_until=None,
            error="",
            is_to_forward=bool(body.source.url),
        )
    forget(organization_id=organization_id, body_ids=body_ids)
    return count


def _given_up() -> QuerySet[FailedWork]:
    return FailedWork.objects.filter(kind=KIND).exclude(edition=edition())


BODIES: Final = DeadLetters(
    name="pushed",
    model=PushedBody,
    given_up=_given_up,
    row_id="subject",
    revive=lambda organization_id, ids, attempt_count: revive(
        organization_id=organization_id, body_ids=ids, attempt_count=attempt_count
    ),
)
