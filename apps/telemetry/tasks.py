"""Celery doors of ingest: load by id, open the scope, call one function."""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from functools import partial
from time import monotonic
from typing import TypeVar

from celery import shared_task
from django.contrib.sessions.backends.db import SessionStore
from django.db import OperationalError
from django.utils import timezone

from apps.fleet.parties import cross_party_audit
from apps.telemetry.evidence import capture
from apps.telemetry.logs import drain, set_aside
from apps.telemetry.logs.accept import DRAIN
from apps.telemetry.metrics import warnings
from apps.telemetry.metrics.pulls import pull, pull_schedule
from apps.telemetry.retention import run, usage
from apps.telemetry.samples import drain as pushed_drain
from apps.telemetry.samples import forward
from apps.telemetry.samples import retire as pushed_retire
from apps.telemetry.samples import set_aside as pushed_aside
from apps.telemetry.samples.accept import DRAIN_PUSHED
from apps.telemetry.submissions import drain as submissions_drain
from apps.telemetry.submissions.accept import CARRY_OUT
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import failed_work, worker_shares
from apps.tenancy.work.failed_work import Unit
from apps.tenancy.work.task_requests import ask, begin

Result = TypeVar("Result")
logger = logging.getLogger(__name__)

# Proof can wait a little, a verdict can't: captures never take the whole pool of workers.
CAPTURES_AT_ONCE = 1
CAPTURE_EXPIRES_SECONDS = 20
PULL_DUE = "telemetry.pull_due"
# By then whoever asks for pulls asked again.
PULL_EXPIRES_SECONDS = 10
# The next pull asks for the same.
FUSION_EXPIRES_SECONDS = 30


@shared_task(
    name=DRAIN, queue="ingest", soft_time_limit=110, time_limit=120,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=5,
)  # fmt: skip
def drain_organization(*, organization_id: int) -> None:
    """Interpret an organization's batches for one turn; go to the end of the queue for the next."""

    def work() -> bool:
        turn = drain.take_turn(organization_id=organization_id, clock=monotonic, now=timezone.now)
        if turn.batch_count:
            logger.info(
                "batches.interpreted",
                extra={
                    "organization": organization_id,
                    "batches": turn.batch_count,
                    "lines": turn.line_count,
                },
            )
        return turn.is_more

    worker_shares.take_turn(DRAIN, queue="ingest", organization_id=organization_id, work=work)


@shared_task(name="telemetry.sweep", queue="ingest", soft_time_limit=20, time_limit=30)
def sweep() -> None:
    """Find batches that no hint told of, and those that only older code gave up."""
    ids = list(Organization.objects.order_by("id").values_list("id", flat=True))
    set_aside.try_again(organization_ids=ids)
    pushed_aside.try_again(organization_ids=ids)
    for organization_id in drain.waiting_organizations(organization_ids=ids):
        ask(DRAIN, queue="ingest", organization_id=organization_id)
    for organization_id in pushed_drain.waiting_organizations(organization_ids=ids):
        ask(DRAIN_PUSHED, queue="ingest", organization_id=organization_id)
    for organization_id in submissions_drain.waiting_organizations(organization_ids=ids):
        ask(CARRY_OUT, queue="ingest", organization_id=organization_id)
    for organization_id in cross_party_audit.organizations_with_refusals(organization_ids=ids):
        ask(cross_party_audit.ENTER_REFUSALS, queue="default", organization_id=organization_id)


@shared_task(
    name=cross_party_audit.ENTER_REFUSALS, queue="default", soft_time_limit=50, time_limit=60,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def enter_refusals(*, organization_id: int) -> None:
    """Enter what was refused to an organization in the records of whom it concerned."""
    begin(cross_party_audit.ENTER_REFUSALS, organization_id=organization_id)
    is_more = _guarded(
        "refusals",
        organization_id,
        lambda now: cross_party_audit.enter_refusals(organization_id=organization_id, now=now),
    )
    if is_more:
        ask(cross_party_audit.ENTER_REFUSALS, queue="default", organization_id=organization_id)


@shared_task(
    name=CARRY_OUT, queue="ingest", soft_time_limit=110, time_limit=120,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=5,
)  # fmt: skip
def carry_out(*, organization_id: int) -> None:
    """Carry out an organization's inventories and session events for one turn."""

    def work() -> bool:
        turn = submissions_drain.take_turn(
            organization_id=organization_id, clock=monotonic, now=timezone.now
        )
        if turn.piece_count:
            logger.info(
                "submissions.carried_out",
                extra={"organization": organization_id, "pieces": turn.piece_count},
            )
        return turn.is_more

    worker_shares.take_turn(CARRY_OUT, queue="ingest", organization_id=organization_id, work=work)


@shared_task(
    name=DRAIN_PUSHED, queue="ingest", soft_time_limit=110, time_limit=120,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=5,
)  # fmt: skip
def drain_pushed(*, organization_id: int) -> None:
    """Put what an organization pushed of metrics into its windows, for one turn."""

    def work() -> bool:
        turn = pushed_drain.take_turn(
            organization_id=organization_id, clock=monotonic, now=timezone.now
        )
        if turn.body_count:
            logger.info(
                "pushed.interpreted",
                extra={
                    "organization": organization_id,
                    "bodies": turn.body_count,
                    "samples": turn.sample_count,
                },
            )
        return turn.is_more

    worker_shares.take_turn(
        DRAIN_PUSHED, queue="ingest", organization_id=organization_id, work=work
    )
    _forward_due(organization_id=organization_id)


@shared_task(name="telemetry.forward_due", queue="ingest", soft_time_limit=20, time_limit=30)
def forward_due() -> None:
    """Enqueue the forwarding of each source whose time has come, also after a failure."""
    failed_work.each_organization(lambda pk: _forward_due(organization_id=pk))


def _forward_due(*, organization_id: int) -> None:
    with organization_scope(organization_id):
        due = forward.due_source_ids(organization_id=organization_id, now=timezone.now())
    for source_id in due:
        forward_pushed.apply_async(
            kwargs={"organization_id": organization_id, "source_id": source_id}, expires=20
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


@shared_task(name="telemetry.roll_windows", queue="default", soft_time_limit=20, time_limit=30)
def roll_windows() -> None:
    """Enqueue, for each organization, what keeps its windows of pushed metrics rolling."""
    for organization_id in Organization.objects.order_by("id").values_list("id", flat=True):
        roll_window.delay(organization_id=organization_id)


@shared_task(
    name="telemetry.roll_window", queue="default", soft_time_limit=110, time_limit=120,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def roll_window(*, organization_id: int) -> None:
    """Drop what is behind an organization's windows of pushed metrics, or beyond their room."""
    _guarded(
        "window-of-metrics",
        organization_id,
        lambda now: pushed_retire.roll(organization_id=organization_id, now=now),
    )


@shared_task(name="telemetry.retire", queue="default", soft_time_limit=50, time_limit=60)
def retire() -> None:
    """Enqueue, for each organization, the dropping of what is past its time; end old sign-ins."""
    SessionStore.clear_expired()
    for organization_id in Organization.objects.order_by("id").values_list("id", flat=True):
        retire_organization.delay(organization_id=organization_id)


@shared_task(
    name="telemetry.retire_organization", queue="default", soft_time_limit=280, time_limit=300,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def retire_organization(*, organization_id: int) -> None:
    """Drop what is past its time of an organization, for one turn."""
    now = timezone.now()
    is_more = failed_work.attempt(
        unit=Unit(organization_id=organization_id, kind="retention", rests=timedelta(hours=1)),
        now=now,
        work=partial(run.retire, organization_id=organization_id, now=now, clock=monotonic),
    )
    if is_more:
        retire_organization.delay(organization_id=organization_id)


@shared_task(name="telemetry.measure", queue="default", soft_time_limit=50, time_limit=60)
def measure() -> None:
    """Enqueue, for each organization, the measuring of what it keeps."""
    for organization_id in Organization.objects.order_by("id").values_list("id", flat=True):
        measure_organization.delay(organization_id=organization_id)


@shared_task(
    name="telemetry.measure_organization", queue="default", soft_time_limit=110, time_limit=120,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def measure_organization(*, organization_id: int) -> None:
    """Count what an organization keeps, as far as it is new."""
    _guarded(
        "usage",
        organization_id,
        lambda now: usage.measure(organization_id=organization_id, now=now),
    )


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

    def fuse() -> warnings.Fused:
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


def _pulled(*, organization_id: int, source_id: int, now: datetime) -> pull.Pulled | None:
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
    return Unit(
        organization_id=organization_id,
        kind=kind,
        subject=str(source_id),
        rests=timedelta(hours=1),
    )


def _guarded(kind: str, organization_id: int, work: Callable[[datetime], Result]) -> Result | None:
    """Do what is done for a whole organization; what fails too often rests for an hour."""
    now = timezone.now()
    unit = Unit(organization_id=organization_id, kind=kind, rests=timedelta(hours=1))

    def in_scope() -> Result:
        with organization_scope(organization_id):
            return work(now)

    return failed_work.attempt(unit=unit, now=now, work=in_scope)
