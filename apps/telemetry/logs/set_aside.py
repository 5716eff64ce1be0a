"""Batches that could not be read: set aside alone with the reason, tried again by newer code."""

import logging
from datetime import datetime
from typing import Final

from django.db.models import CharField, QuerySet, Value
from django.db.models.functions import Concat, Right

from apps.telemetry.limits.dead_letters import DeadLetters
from apps.telemetry.logs.reader_version import reader_version
from apps.telemetry.models import Batch, BatchState
from apps.tenancy import access as tenancy
from apps.tenancy.access import Actor

logger = logging.getLogger(__name__)

REASON_LENGTH = VERSIONS_LENGTH = 300


def set_aside(*, organization_id: int, batch_id: int, reason: str, now: datetime) -> None:
    """Read a batch no more with this code; its lines stay. Needs the organization's scope."""
    own = Batch.objects.for_organization(organization_id).filter(state=BatchState.ACCEPTED)
    versions = Concat("failed_versions", Value(f" {reader_version()}"), output_field=CharField())
    own.filter(pk=batch_id).update(
        state=BatchState.DEAD,
        finished_at=now,
        error=reason[:REASON_LENGTH],
        failed_versions=Right(versions, VERSIONS_LENGTH),
    )
    logger.error(
        "batch.buried",
        extra={"batch": batch_id, "organization": organization_id, "reason": reason},
    )


def access_set_aside(*, actor: Actor) -> QuerySet[Batch]:
    """Return what the actor's organization sent and could not be read, the newest first."""
    actor.require(tenancy.Right.READ)
    dead = Batch.objects.for_organization(actor.organization).filter(state=BatchState.DEAD)
    return dead.select_related("cluster").defer("body").order_by("-received_at", "-id")


def revive(*, organization_id: int, batch_ids: list[int], attempt_count: int) -> int:
    """Let batches wait to be read; return how many were set aside. Needs the scope."""
    own = Batch.objects.for_organization(organization_id)
    return own.filter(pk__in=batch_ids, state=BatchState.DEAD).update(
        state=BatchState.ACCEPTED,
        attempt_count=attempt_count,
        claimed_until=None,
        finished_at=None,
    )


def _given_up() -> QuerySet[Batch]:
    dead = Batch.objects.filter(state=BatchState.DEAD)
    return dead.exclude(failed_versions__contains=reader_version())


BATCHES: Final = DeadLetters(
    name="batch",
    model=Batch,
    given_up=_given_up,
    row_id="id",
    revive=lambda organization_id, ids, attempt_count: revive(
        organization_id=organization_id, batch_ids=ids, attempt_count=attempt_count
    ),
)
