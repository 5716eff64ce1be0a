"""Celery doors of metrics: find what is due, open the scope, call one function."""

from celery import shared_task
from django.db import OperationalError
from django.utils import timezone

from apps.telemetry import evidence, pull
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope


@shared_task(name="telemetry.sweep_metrics", queue="default", soft_time_limit=20, time_limit=30)
def sweep_metrics() -> None:
    """Enqueue each pull and each capture whose time has come; both are claimed when they start."""
    now = timezone.now()  # noqa: TID251  a door
    for organization_id in Organization.objects.order_by("id").values_list("id", flat=True):
        with organization_scope(organization_id):
            sources = pull.due_source_ids(organization_id=organization_id, now=now)
            captures = evidence.due_capture_ids(organization_id=organization_id, now=now)
        for source_id in sources:
            pull_source.delay(organization_id=organization_id, source_id=source_id)
        for capture_id in captures:
            capture_evidence.delay(organization_id=organization_id, capture_id=capture_id)


@shared_task(
    name="telemetry.pull_source", queue="default", soft_time_limit=110, time_limit=120,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=2,
)  # fmt: skip
def pull_source(*, organization_id: int, source_id: int) -> None:
    """Read one source on from its cursor."""
    pull.pull_source(organization_id=organization_id, source_id=source_id, now=timezone.now())  # noqa: TID251


@shared_task(
    name="telemetry.capture_evidence", queue="default", soft_time_limit=50, time_limit=60,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=2,
)  # fmt: skip
def capture_evidence(*, organization_id: int, capture_id: int) -> None:
    """Keep the metrics around one incident from one source."""
    evidence.capture(organization_id=organization_id, capture_id=capture_id, now=timezone.now())  # noqa: TID251
