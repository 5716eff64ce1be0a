"""Celery doors of sharing: chains of ledgers, and what goes when its time is over."""

from datetime import timedelta

from celery import shared_task
from django.db import OperationalError
from django.utils import timezone

from apps.sharing.bundles import bundle_acts
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


@shared_task(name="sharing.retire", queue="default", soft_time_limit=20, time_limit=30)
def retire() -> None:
    """Enqueue, for each organization, the end of bundles whose time is over."""
    failed_work.send_to_each(retire_of, expires=600)


@shared_task(
    name="sharing.retire_of", queue="default", soft_time_limit=110, time_limit=120,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def retire_of(*, organization_id: int) -> None:
    """Delete what is in an organization's bundles whose time is over."""
    unit = failed_work.of_organization("bundles", organization_id)
    now = timezone.now()
    failed_work.attempt(
        unit=unit,
        now=now,
        work=lambda: bundle_acts.expire(organization_id=organization_id, now=now),
    )
