"""Saves and loads of sessions whose logs told more."""

from functools import partial
from typing import Final

from celery import shared_task
from django.db import OperationalError
from django.utils import timezone

from apps.telemetry.facade import logged_checkpoints
from apps.tenancy.work import failed_work
from apps.tenancy.work.failed_work import Unit

KIND: Final = "checkpoints"  # of failed work


@shared_task(
    name="telemetry.work_out_checkpoints", queue="default", soft_time_limit=20, time_limit=30
)
def work_out_checkpoints() -> None:
    """Enqueue, for each organization, the saves and loads of sessions whose logs told more."""
    failed_work.send_to_each(work_out_checkpoints_of, expires=30)


@shared_task(
    name="telemetry.work_out_checkpoints_of", queue="default", soft_time_limit=50, time_limit=60,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def work_out_checkpoints_of(*, organization_id: int) -> None:
    """Work out the sessions of an organization that are due, each apart."""
    now = timezone.now()
    for session_id in logged_checkpoints.due_sessions(organization_id=organization_id, now=now):
        unit = Unit(organization_id=organization_id, kind=KIND, subject=str(session_id))
        told = {"organization_id": organization_id, "session_id": session_id}
        failed_work.attempt(unit=unit, now=now, work=partial(logged_checkpoints.work_out, **told))
