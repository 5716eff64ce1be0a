"""Celery doors of sharing."""

from datetime import timedelta

from celery import shared_task
from django.db import OperationalError
from django.utils import timezone

from apps.sharing.ledger.seals import seal_all
from apps.tenancy.work import failed_work

LOOKED_BACK = timedelta(days=7)  # what no worker sealed for as long is sealed when it is proven


@shared_task(
    name="sharing.seal_ledgers", queue="default", soft_time_limit=50, time_limit=60,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def seal_ledgers() -> None:
    """Give what was written into each holder's ledger its place in the chain."""
    since = timezone.now() - LOOKED_BACK
    failed_work.each_organization(lambda pk: seal_all(organization_id=pk, since=since))
