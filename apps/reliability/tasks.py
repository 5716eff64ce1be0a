"""Celery doors of measuring: open, call one function, ask for what follows."""

import logging
from datetime import datetime
from functools import partial
from typing import Final

from celery import shared_task
from django.db import OperationalError
from django.utils import timezone

from apps.reliability.measures import orders
from apps.reliability.measures.measure_session import measure_session
from apps.reliability.reports import due_reports
from apps.reliability.stragglers import logged_traces
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import failed_work, worker_shares
from apps.tenancy.work.failed_work import Unit
from apps.tenancy.work.task_requests import ask

logger = logging.getLogger(__name__)

MEASURE: Final = "reliability.measure"
KIND: Final = "measure"  # of failed work
REPORTS: Final = "reports"
COLLECTIVES: Final = "collectives"


@shared_task(
    name=MEASURE, queue="default", soft_time_limit=50, time_limit=55,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def measure(*, organization_id: int) -> None:
    """Measure sessions of an organization that are due, a few at a time."""

    def work() -> bool:
        now = timezone.now()
        claimed = orders.claim_due(organization_id=organization_id, now=now)
        for session_id, touched_at in claimed:
            _measure(organization_id, session_id, touched_at, now)
        if claimed:
            logger.info(
                "sessions.measured", extra={"organization": organization_id, "count": len(claimed)}
            )
        return len(claimed) == orders.CLAIMED_AT_ONCE

    worker_shares.take_turn(MEASURE, queue="default", organization_id=organization_id, work=work)


def _measure(organization_id: int, session_id: int, touched_at: datetime, now: datetime) -> None:
    unit = Unit(organization_id=organization_id, kind=KIND, subject=str(session_id))
    measured = failed_work.attempt(
        unit=unit,
        now=now,
        work=lambda: measure_session(
            organization_id=organization_id, session_id=session_id, now=now
        ),
    )
    if measured is None:
        until = now + failed_work.pause_after(unit=unit)
        orders.put_off(organization_id=organization_id, session_id=session_id, until=until)
        return
    orders.finish(
        organization_id=organization_id,
        session_id=session_id,
        touched_at=touched_at,
        again_at=measured.again_at,
    )


@shared_task(name="reliability.sweep", queue="default", soft_time_limit=25, time_limit=30)
def sweep() -> None:
    """Find sessions that are to be measured, also such as no wake-up told of."""
    now = timezone.now()

    def find(organization_id: int) -> None:
        with organization_scope(organization_id):
            orders.find_unmeasured(organization_id=organization_id, now=now)
            is_due = orders.is_due(organization_id=organization_id, now=now)
        if is_due:
            ask(MEASURE, queue="default", organization_id=organization_id)

    failed_work.each_organization(find)


@shared_task(name="reliability.issue_reports", queue="default", soft_time_limit=20, time_limit=30)
def issue_reports() -> None:
    """Enqueue, for each organization, the reports that are due by its schedules."""
    failed_work.send_to_each(issue_reports_of, expires=600)


@shared_task(
    name="reliability.issue_reports_of", queue="default", soft_time_limit=110, time_limit=120
)
def issue_reports_of(*, organization_id: int) -> None:
    """Issue the reports of an organization that are due, and tell of them."""
    now = timezone.now()
    issued = failed_work.attempt(
        unit=failed_work.of_organization(REPORTS, organization_id),
        now=now,
        work=lambda: due_reports.issue_due(organization_id=organization_id, now=now),
    )
    if issued:
        logger.info("reports.issued", extra={"organization": organization_id, "count": len(issued)})


@shared_task(
    name="reliability.read_collectives", queue="default", soft_time_limit=20, time_limit=30
)
def read_collectives() -> None:
    """Enqueue, for each organization, the sessions whose logs told more collectives."""
    failed_work.send_to_each(read_collectives_of, expires=30)


@shared_task(
    name="reliability.read_collectives_of", queue="default", soft_time_limit=110, time_limit=120
)
def read_collectives_of(*, organization_id: int) -> None:
    """Work out the sessions of an organization that are due, each apart."""
    now = timezone.now()
    for session_id in logged_traces.due_sessions(organization_id=organization_id, now=now):
        unit = Unit(organization_id=organization_id, kind=COLLECTIVES, subject=str(session_id))
        work = partial(
            logged_traces.work_out, organization_id=organization_id, session_id=session_id, now=now
        )
        failed_work.attempt(unit=unit, now=now, work=work)
