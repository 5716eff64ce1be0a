"""Batches that could not be read: set aside alone with the reason, tried again by newer code."""

import logging
from datetime import datetime

from django.db.models import CharField, QuerySet, Value
from django.db.models.functions import Concat, Right

from apps.telemetry.logs.reader_version import reader_version
from apps.telemetry.models import Batch, BatchState
from apps.tenancy import access as tenancy
from apps.tenancy.access import Actor
from apps.tenancy.scope import organization_scope

logger = logging.getLogger(__name__)

# What is left of its tries when newer code meets it: one.
TRIES_BEFORE = 2
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


def try_again(*, organization_ids: list[int]) -> int:
    """Let a batch of each organization that only older code gave up wait once more."""
    with organization_scope(*organization_ids):
        owners = _given_up().values_list("organization_id", flat=True).distinct()
        found = list(owners)
    return sum(_one_again(organization_id) for organization_id in found)


def _one_again(organization_id: int) -> int:
    """Let the oldest wait, unless one does already: what is new must not wait for all of them."""
    with organization_scope(organization_id):
        own = Batch.objects.for_organization(organization_id)
        if own.filter(state=BatchState.ACCEPTED, attempt_count__gte=TRIES_BEFORE).exists():
            return 0
        rows = _given_up().filter(organization_id=organization_id).order_by("id")
        batch_id = rows.values_list("pk", flat=True).first()
        if batch_id is None:  # another sweep was quicker
            return 0
        count = own.filter(pk=batch_id, state=BatchState.DEAD).update(
            state=BatchState.ACCEPTED,
            attempt_count=TRIES_BEFORE,
            enqueued_at=None,
            finished_at=None,
        )
    logger.info("batch.tried_again", extra={"batch": batch_id, "organization": organization_id})
    return count


def access_set_aside(*, actor: Actor) -> QuerySet[Batch]:
    """Return what the actor's organization sent and could not be read, the newest first."""
    actor.require(tenancy.Right.READ)
    dead = Batch.objects.for_organization(actor.organization).filter(state=BatchState.DEAD)
    return dead.select_related("cluster").defer("body").order_by("-received_at", "-id")


def _given_up() -> QuerySet[Batch]:
    dead = Batch.objects.filter(state=BatchState.DEAD)
    return dead.exclude(failed_versions__contains=reader_version())
