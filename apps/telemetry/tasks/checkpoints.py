"""Saves and loads of sessions whose logs told more."""

from celery import shared_task
from django.db import OperationalError
from django.utils import timezone

from apps.telemetry.facade.logged_checkpoints import work_out_due
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import failed_work


@shared_task(
    name="telemetry.work_out_checkpoints", queue="default", soft_time_limit=50, time_limit=60,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def work_out_checkpoints() -> None:
    """Work out what is due of every organization."""
    failed_work.each_organization(_work_out)


def _work_out(organization_id: int) -> None:
    with organization_scope(organization_id):
        owner = Organization.objects.get(pk=organization_id)
        work_out_due(organization=owner, now=timezone.now())
