"""What is read of metrics servers, and sent on to them, when its time has come."""

import logging
from contextlib import AbstractContextManager
from datetime import datetime
from functools import partial
from time import monotonic
from typing import Final

from celery import shared_task
from django.db import OperationalError
from django.utils import timezone

from apps.telemetry.evidence import capture
from apps.telemetry.metrics import warnings
from apps.telemetry.metrics.pulls import pull, pull_schedule
from apps.telemetry.samples import forward
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import failed_work, worker_shares
from apps.tenancy.work.failed_work import Unit
from apps.tenancy.work.task_requests import ask, begin

logger = logging.getLogger(__name__)

# Proof can wait a little, a verdict can't: captures never take the whole pool of workers.
CAPTURES_AT_ONCE: Final = 1
CAPTURE_EXPIRES_SECONDS: Final = 20
PULL_DUE: Final = "telemetry.pull_due"
# By then whoever asks for pulls asked again.
PULL_EXPIRES_SECONDS: Final = 10
# The next pull asks for the same.
FUSION_EXPIRES_SECONDS: Final = 30
FORWARDING_EXPIRES_SECONDS: Final = 20


@shared_task(name="telemetry.forward_due", queue="ingest", soft_time_limit=20, time_limit=30)
def forward_due() -> None:
    """Enqueue the forwarding of each source whose time has come, also after a failure."""
    failed_work.each_organization(forward_due_of)


def forward_due_of(organization_id: int) -> None:
    """Enqueue the same for the sources of one organization."""
    with organization_scope(organization_id):
        due = forward.due_source_ids(organization_id=organization_id, now=timezone.now())
    for source_id in due:
        forward_pushed.apply_async(
            kwargs={"organization_id": organization_id, "source_id": source_id},
            expires=FORWARDING_EXPIRES_SECONDS,
        )


@shared_task(
    name="telemetry.forward_pushed", queue="ingest", soft_time_limit=80, time_limit=90,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def forward_pushed(*, organization_id: int, source_id: int) -> None:
    """Send what waits of one source on to the store that it names, for one turn."""
    done = failed_work.attempt(
        unit=_of_source("forwarding", organization_id, source_id),
        now=timezone.now(),
        work=partial(
            forward.forward,
            organization_id=organization_id,
            source_id=source_id,
            clock=monotonic,
            now=timezone.now,
        ),
    )
    if done and done.is_more:
        forward_pushed.delay(organization_id=organization_id, source_id=source_id)


@shared_task(name=PULL_DUE, queue="default", soft_time_limit=20, time_limit=30)
def pull_due() -> None:
    """Enqueue the next pulls of sources whose time has come, and each capture that is due."""
    begin(PULL_DUE)
    now = timezone.now()
    ids = list(Organization.objects.order_by("id").values_list("id", flat=True))
    pulls = pull_schedule.next_pulls(
        organization_ids=ids, count=worker_shares.of_network(), now=now
    )
    for owner_id, source_id in pulls:
        pull_source.apply_async(
            kwargs={"organization_id": owner_id, "source_id": source_id},
            expires=PULL_EXPIRES_SECONDS,
        )

    def enqueue(organization_id: int) -> None:
        with organization_scope(organization_id):
            captures = capture.due_capture_ids(organization_id=organization_id, now=now)
        for capture_id in captures[:CAPTURES_AT_ONCE]:
            capture_evidence.apply_async(
                kwargs={"organization_id": organization_id, "capture_id": capture_id},
                expires=CAPTURE_EXPIRES_SECONDS,
            )

    failed_work.each_organization(enqueue)


@shared_task(
    name="telemetry.pull_source", queue="default", soft_time_limit=110, time_limit=120,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def pull_source(*, organization_id: int, source_id: int) -> None:
    """Read one source on from where the last pull stopped; then see what its findings make."""
    with _reading_share(organization_id=organization_id, source_id=source_id) as may_read:
        if not may_read:
            return  # whoever reads now asks for the next one
        pulled = _pulled(organization_id=organization_id, source_id=source_id, now=timezone.now())
    ask(PULL_DUE, queue="default")
    if pulled is not None and pulled.state == "fresh":
        fuse_source.apply_async(
            kwargs={"organization_id": organization_id, "source_id": source_id},
            expires=FUSION_EXPIRES_SECONDS,
        )


@shared_task(
    name="telemetry.fuse_source", queue="default", soft_time_limit=50, time_limit=60,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def fuse_source(*, organization_id: int, source_id: int) -> None:
    """Bring the episodes of a source's cluster up to date."""
    now = timezone.now()

    def fuse() -> warnings.FusionChange:
        with organization_scope(organization_id):
            return warnings.fuse_source(
                organization_id=organization_id, source_id=source_id, now=now
            )

    fused = failed_work.attempt(
        unit=_of_source("warnings", organization_id, source_id), now=now, work=fuse
    )
    if fused and fused.new:
        logger.info("episodes.raised", extra={"source": source_id, "episodes": len(fused.new)})


@shared_task(
    name="telemetry.capture_evidence", queue="default", soft_time_limit=80, time_limit=90,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def capture_evidence(*, organization_id: int, capture_id: int) -> None:
    """Keep the metrics around one incident from one source."""
    with worker_shares.network() as may_wait:
        if may_wait:
            _captured(organization_id=organization_id, capture_id=capture_id, now=timezone.now())


def _reading_share(*, organization_id: int, source_id: int) -> AbstractContextManager[bool]:
    """Return what a pull holds: the wait for a server, or a turn of its organization's work."""
    with organization_scope(organization_id):
        is_work = pull_schedule.is_pushed_source(
            organization_id=organization_id, source_id=source_id
        )
    return worker_shares.of_organization(organization_id) if is_work else worker_shares.network()


def _pulled(*, organization_id: int, source_id: int, now: datetime) -> pull.PullResult | None:
    pulled = failed_work.attempt(
        unit=_of_source("source", organization_id, source_id),
        now=now,
        work=partial(
            pull.pull_source, organization_id=organization_id, source_id=source_id, now=now
        ),
    )
    if pulled is None:
        pull.note_unread(organization_id=organization_id, source_id=source_id, now=now)
    return pulled


def _captured(*, organization_id: int, capture_id: int, now: datetime) -> None:
    unit = Unit(organization_id=organization_id, kind="capture", subject=str(capture_id))
    done = failed_work.attempt(
        unit=unit,
        now=now,
        work=partial(
            capture.capture, organization_id=organization_id, capture_id=capture_id, now=now
        ),
    )
    if done is None:
        pause = failed_work.pause_after(unit=unit)
        capture.put_off(organization_id=organization_id, capture_id=capture_id, until=now + pause)


def _of_source(kind: str, organization_id: int, source_id: int) -> Unit:
    # What it measures changes: an hour later it may be readable again.
    return failed_work.of_organization(kind, organization_id, subject=str(source_id))
