"""What came in: read or carried out for a turn, found by a sweep where no hint told of it."""

import logging
from collections.abc import Callable
from datetime import datetime
from time import monotonic
from typing import Final, Protocol

from celery import shared_task
from django.db import OperationalError
from django.utils import timezone

from apps.fleet.parties import cross_party_audit
from apps.fleet.parties.cross_party_audit import ENTER_REFUSALS
from apps.telemetry.limits.intake_queue import IntakeTurn, waiting_organizations
from apps.telemetry.logs.accept import DRAIN
from apps.telemetry.logs.interpretation import drain as logs_drain
from apps.telemetry.logs.set_aside import BATCHES
from apps.telemetry.models import Batch, PushedBody, Submission
from apps.telemetry.samples import drain as samples_drain
from apps.telemetry.samples.accept import DRAIN_PUSHED
from apps.telemetry.samples.set_aside import BODIES
from apps.telemetry.submissions import drain as submissions_drain
from apps.telemetry.submissions.accept import CARRY_OUT
from apps.telemetry.tasks.metrics import forward_due_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import failed_work, worker_shares
from apps.tenancy.work.task_requests import ask, begin

logger = logging.getLogger(__name__)

QUEUES: Final = ((Batch, DRAIN), (PushedBody, DRAIN_PUSHED), (Submission, CARRY_OUT))


class TakeTurn(Protocol):
    """What works on an organization's queue for a turn."""

    def __call__(
        self, *, organization_id: int, clock: Callable[[], float], now: Callable[[], datetime]
    ) -> IntakeTurn:
        """Work until nothing waits or the turn is over."""


@shared_task(
    name=DRAIN, queue="ingest", soft_time_limit=110, time_limit=120,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=5,
)  # fmt: skip
def drain_organization(*, organization_id: int) -> None:
    """Interpret an organization's batches for one turn; go to the end of the queue for the next."""
    _drain(DRAIN, logs_drain.take_turn, "batches.interpreted", organization_id=organization_id)


@shared_task(
    name=CARRY_OUT, queue="ingest", soft_time_limit=110, time_limit=120,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=5,
)  # fmt: skip
def carry_out(*, organization_id: int) -> None:
    """Carry out an organization's inventories and session events for one turn."""
    _drain(
        CARRY_OUT,
        submissions_drain.take_turn,
        "submissions.carried_out",
        organization_id=organization_id,
    )


@shared_task(
    name=DRAIN_PUSHED, queue="ingest", soft_time_limit=110, time_limit=120,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=5,
)  # fmt: skip
def drain_pushed(*, organization_id: int) -> None:
    """Put what an organization pushed of metrics into its windows, for one turn."""
    _drain(
        DRAIN_PUSHED,
        samples_drain.take_turn,
        "pushed.interpreted",
        organization_id=organization_id,
    )
    forward_due_of(organization_id)


@shared_task(name="telemetry.sweep", queue="ingest", soft_time_limit=20, time_limit=30)
def sweep() -> None:
    """Find what waits that no hint told of, and what only older code gave up."""
    ids = list(Organization.objects.order_by("id").values_list("id", flat=True))
    for dead_letters in (BATCHES, BODIES):
        dead_letters.try_again(organization_ids=ids)
    for model, task in QUEUES:
        for organization_id in waiting_organizations(model=model, organization_ids=ids):
            ask(task, queue="ingest", organization_id=organization_id)
    for organization_id in cross_party_audit.organizations_with_refusals(organization_ids=ids):
        ask(ENTER_REFUSALS, queue="default", organization_id=organization_id)


@shared_task(
    name=ENTER_REFUSALS, queue="default", soft_time_limit=50, time_limit=60,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def enter_refusals(*, organization_id: int) -> None:
    """Enter what was refused to an organization in the records of whom it concerned."""
    begin(ENTER_REFUSALS, organization_id=organization_id)
    now = timezone.now()

    def enter() -> bool:
        with organization_scope(organization_id):
            return cross_party_audit.enter_refusals(organization_id=organization_id, now=now)

    unit = failed_work.of_organization("refusals", organization_id)
    if failed_work.attempt(unit=unit, now=now, work=enter):
        ask(ENTER_REFUSALS, queue="default", organization_id=organization_id)


def _drain(task: str, take_turn: TakeTurn, event: str, *, organization_id: int) -> None:
    def work() -> bool:
        turn = take_turn(organization_id=organization_id, clock=monotonic, now=timezone.now)
        if turn.row_count:
            logger.info(
                event,
                extra={
                    "organization": organization_id,
                    "rows": turn.row_count,
                    "amount": turn.amount,
                },
            )
        return turn.is_more

    worker_shares.take_turn(task, queue="ingest", organization_id=organization_id, work=work)
