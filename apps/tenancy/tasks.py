"""Celery doors of tenancy."""

from celery import shared_task
from django.db import OperationalError
from django.utils import timezone

from apps.tenancy.audit.refusals import close_all
from apps.tenancy.work import failed_work


@shared_task(
    name="tenancy.count_refusals", queue="default", soft_time_limit=50, time_limit=60,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def count_refusals() -> None:
    """Write into each record how often somebody was refused the same in the minutes before."""
    now = timezone.now()

    def close(organization_id: int) -> None:
        close_all(organization_id=organization_id, now=now)

    failed_work.each_organization(close)
