"""What is past its time goes, and what is kept is counted, organization by organization."""

from functools import partial
from time import monotonic

from celery import shared_task
from django.contrib.sessions.backends.db import SessionStore
from django.db import OperationalError
from django.utils import timezone

from apps.telemetry.fleet_metrics.minute_age import drop_minutes
from apps.telemetry.retention import run, usage
from apps.telemetry.samples import retire as pushed_retire
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import failed_work


@shared_task(name="telemetry.roll_windows", queue="default", soft_time_limit=20, time_limit=30)
def roll_windows() -> None:
    """Enqueue, for each organization, what keeps its windows of pushed metrics rolling."""
    failed_work.send_to_each(roll_window)


@shared_task(
    name="telemetry.roll_window", queue="default", soft_time_limit=110, time_limit=120,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def roll_window(*, organization_id: int) -> None:
    """Drop what is behind an organization's windows of pushed metrics, or beyond their room."""
    now = timezone.now()

    def roll() -> None:
        with organization_scope(organization_id):
            pushed_retire.roll(organization_id=organization_id, now=now)
            drop_minutes(organization_id=organization_id, now=now)

    unit = failed_work.of_organization("window-of-metrics", organization_id)
    failed_work.attempt(unit=unit, now=now, work=roll)


@shared_task(name="telemetry.retire", queue="default", soft_time_limit=50, time_limit=60)
def retire() -> None:
    """Enqueue, for each organization, the dropping of what is past its time; end old sign-ins."""
    SessionStore.clear_expired()
    failed_work.send_to_each(retire_organization)


@shared_task(
    name="telemetry.retire_organization", queue="default", soft_time_limit=280, time_limit=300,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def retire_organization(*, organization_id: int) -> None:
    """Drop what is past its time of an organization, for one turn."""
    now = timezone.now()
    is_more = failed_work.attempt(
        unit=failed_work.of_organization("retention", organization_id),
        now=now,
        work=partial(run.retire, organization_id=organization_id, now=now, clock=monotonic),
    )
    if is_more:
        retire_organization.delay(organization_id=organization_id)


@shared_task(name="telemetry.measure", queue="default", soft_time_limit=50, time_limit=60)
def measure() -> None:
    """Enqueue, for each organization, the measuring of what it keeps."""
    failed_work.send_to_each(measure_organization)


@shared_task(
    name="telemetry.measure_organization", queue="default", soft_time_limit=110, time_limit=120,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def measure_organization(*, organization_id: int) -> None:
    """Count what an organization keeps, as far as it is new."""
    now = timezone.now()

    def count() -> None:
        with organization_scope(organization_id):
            usage.measure(organization_id=organization_id, now=now)

    unit = failed_work.of_organization("usage", organization_id)
    failed_work.attempt(unit=unit, now=now, work=count)
