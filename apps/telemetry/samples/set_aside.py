"""Pushed bodies that could not be read: set aside alone with the reason, tried again by newer code.

They stand among the work that failed: on the page, for `manage.py retry`, and in the measures.
"""

import logging
from collections.abc import Collection
from datetime import datetime
from typing import Final

from apps.telemetry.models import BatchState, PushedBody
from apps.tenancy.models import FailedWork
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import failed_work
from apps.tenancy.work.failed_work import ATTEMPT_LIMIT, edition

logger = logging.getLogger(__name__)

KIND: Final = PushedBody.WORK
# What is left of its tries when newer code meets it: one.
TRIES_BEFORE: Final = ATTEMPT_LIMIT - 1
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


def try_again(*, organization_ids: list[int]) -> int:
    """Let a body of each organization that only other code gave up wait once more."""
    with organization_scope(*organization_ids):
        given_up = FailedWork.objects.filter(kind=KIND).exclude(edition=edition())
        owners = sorted(set(given_up.values_list("organization_id", flat=True)))
    return sum(_one_again(organization_id) for organization_id in owners)


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


def _one_again(organization_id: int) -> int:
    """Let the oldest wait, unless one does already: what is new must not wait for all of them."""
    with organization_scope(organization_id):
        own = PushedBody.objects.for_organization(organization_id)
        if own.filter(state=BatchState.ACCEPTED, attempt_count__gte=TRIES_BEFORE).exists():
            return 0
        rows = FailedWork.objects.for_organization(organization_id).filter(kind=KIND)
        oldest = rows.exclude(edition=edition()).order_by("id").first()
        if oldest is None:  # another sweep was quicker
            return 0
        return revive(
            organization_id=organization_id,
            body_ids=[int(oldest.subject)],
            attempt_count=TRIES_BEFORE,
        )


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
            enqueued_at=None,
            error="",
            is_to_forward=bool(body.source.url),
        )
    forget(organization_id=organization_id, body_ids=body_ids)
    if count:
        logger.info("pushed.tried_again", extra={"organization": organization_id, "bodies": count})
    return count
