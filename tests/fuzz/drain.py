"""Everything that follows a push, in this process: every task, until nothing waits."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from celery import Task

from apps.incidents import tasks as incidents
from apps.incidents.correlation.attempts import due_attempts
from apps.incidents.models import Correlation
from apps.notifications import tasks as notices
from apps.telemetry import tasks as telemetry
from apps.telemetry.evidence import capture
from apps.telemetry.logs.interpretation import drain
from apps.telemetry.metrics.pulls import pull_schedule
from apps.telemetry.models import Batch, BatchState, PushedBody
from apps.telemetry.samples import drain as pushed_drain
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

SOON = timedelta(seconds=3)
# Each is run with every organization; those that need a row beside it are run below.
OF_ORGANIZATIONS: tuple[Task[Any, Any], ...] = (
    incidents.map_windows, notices.look, notices.listen_to, notices.post, notices.retire_of,
    telemetry.roll_window, telemetry.measure_organization,
)  # fmt: skip


def drained(*, organizations: Iterable[Organization], now: datetime) -> list[str]:
    """Do the work that waits; return what failed, of units that were to be taken."""
    ids = [each.pk for each in organizations]
    failed: list[str] = []
    for organization_id in ids:
        failed += _interpreted(organization_id, now)
    for organization_id in ids:
        failed += _pulled(organization_id, now)
    for _ in range(3):
        for organization_id in ids:
            incidents.map_windows(organization_id=organization_id)
        for organization_id in ids:
            failed += _correlated(organization_id, now)
    for organization_id in ids:
        for task in OF_ORGANIZATIONS:
            task(organization_id=organization_id)
    return failed


def _interpreted(organization_id: int, now: datetime) -> list[str]:
    for _ in range(100):
        turn = drain.take_turn(organization_id=organization_id, clock=_still, now=lambda: now)
        pushed = pushed_drain.take_turn(
            organization_id=organization_id, clock=_still, now=lambda: now
        )
        if not turn.row_count and not pushed.row_count:
            break
    with organization_scope(organization_id):
        wrong = [
            f"{model.__name__} {row.pk}: {row.error}"
            for model in (Batch, PushedBody)
            for row in model.objects.for_organization(organization_id).exclude(error="")
        ]
        wrong += [
            f"{model.__name__} {pk} waits still"
            for model in (Batch, PushedBody)
            for pk in model.objects.for_organization(organization_id)
            .filter(state=BatchState.ACCEPTED)
            .values_list("pk", flat=True)
        ]
    return wrong


def _pulled(organization_id: int, now: datetime) -> list[str]:
    with organization_scope(organization_id):
        sources = pull_schedule.due_source_ids(organization_id=organization_id, now=now)
        captures = capture.due_capture_ids(organization_id=organization_id, now=now)
    for source_id in sources:
        telemetry.pull_source(organization_id=organization_id, source_id=source_id)
        telemetry.fuse_source(organization_id=organization_id, source_id=source_id)
    for capture_id in captures:
        telemetry.capture_evidence(organization_id=organization_id, capture_id=capture_id)
    return []


def _correlated(organization_id: int, now: datetime) -> list[str]:
    for _ in range(400):
        due_ids = due_attempts.claim_due(organization_id=organization_id, now=now + SOON)
        for attempt_id in due_ids:
            incidents.correlate(organization_id=organization_id, attempt_id=attempt_id)
        if not due_ids:
            break
    with organization_scope(organization_id):
        rows = Correlation.objects.for_organization(organization_id)
        failing = rows.filter(due_at__lte=now + SOON)
        return [f"Correlation of attempt {row.attempt_id} waits still" for row in failing]


def _still() -> float:
    return 0.0
