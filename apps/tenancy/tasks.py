"""Celery doors of tenancy."""

from celery import shared_task
from django.db import OperationalError
from django.utils import timezone

from apps.tenancy.audit.refusals import close_all
from apps.tenancy.changes import replay
from apps.tenancy.scope import organization_scope
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


@shared_task(
    name="tenancy.retire_page_changes", queue="default", soft_time_limit=50, time_limit=60,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def retire_page_changes() -> None:
    """Delete what open pages were told long ago."""
    now = timezone.now()

    def retire(organization_id: int) -> None:
        with organization_scope(organization_id):
            replay.retire(organization_id=organization_id, now=now)

    failed_work.each_organization(retire)
