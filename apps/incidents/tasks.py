"""Celery doors of correlation: open, call one function, enqueue what follows."""

import logging
from datetime import datetime, timedelta
from functools import partial
from time import monotonic, thread_time

from celery import shared_task
from django.db import OperationalError
from django.utils import timezone

from apps.incidents import subscribers
from apps.incidents.correlation import capture_orders, touched_windows
from apps.incidents.correlation.attempts import diagnosis_cooldown, due_attempts, undiagnosed
from apps.incidents.correlation.correlate import Correlated, correlate_attempt
from apps.incidents.projection.incident_view import DIAGNOSIS
from apps.tenancy.work import failed_work, worker_shares
from apps.tenancy.work.failed_work import Unit
from apps.tenancy.work.task_requests import ask, begin

logger = logging.getLogger(__name__)

MAP_WINDOWS = "incidents.map_windows"
CORRELATE_DUE = "incidents.correlate_due"
COALESCED = timedelta(seconds=1.1)


@shared_task(
    name=MAP_WINDOWS, queue="correlate", soft_time_limit=50, time_limit=60,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=5,
)  # fmt: skip
def map_windows(*, organization_id: int) -> None:
    """Turn what an organization's new facts touched into correlations, until none is left."""

    def work() -> bool:
        taken = _mapped(organization_id=organization_id, now=timezone.now())
        if taken:
            _ask_soon()
        return taken == touched_windows.WINDOWS_AT_ONCE

    worker_shares.take_turn(
        MAP_WINDOWS, queue="correlate", organization_id=organization_id, work=work
    )


@shared_task(
    name=CORRELATE_DUE, queue="correlate", soft_time_limit=80, time_limit=90,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=5,
)  # fmt: skip
def correlate_due() -> None:
    """Enqueue a correlation for each attempt that is due, of all organizations."""
    begin(CORRELATE_DUE)
    soon: list[int] = []

    def claim(organization_id: int) -> None:
        _correlate_next(organization_id)
        if due_attempts.is_due_soon(organization_id=organization_id, now=timezone.now()):
            soon.append(organization_id)

    failed_work.each_organization(claim)
    if soon:
        _ask_soon()


def _ask_soon() -> None:
    """Ask for what is due once facts that come together have come."""
    ask(CORRELATE_DUE, queue="correlate", wait=COALESCED.total_seconds())


def _correlate_next(organization_id: int) -> None:
    for attempt_id in due_attempts.claim_due(organization_id=organization_id, now=timezone.now()):
        correlate.delay(organization_id=organization_id, attempt_id=attempt_id)


@shared_task(
    name="incidents.correlate", queue="correlate", soft_time_limit=40, time_limit=50,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def correlate(*, organization_id: int, attempt_id: int) -> None:
    """Diagnose one claimed attempt; look again when it settles. Then it is the next one's turn."""
    with worker_shares.of_organization(organization_id) as may_work:
        if may_work:
            _look(organization_id=organization_id, attempt_id=attempt_id)
    if not may_work:
        now = timezone.now()
        due_attempts.put_off(organization_id=organization_id, attempt_id=attempt_id, until=now)
        ask(CORRELATE_DUE, queue="correlate", wait=worker_shares.AGAIN_SECONDS)
        return
    _correlate_next(organization_id)
    if due_attempts.is_due_soon(organization_id=organization_id, now=timezone.now()):
        _ask_soon()


def _look(*, organization_id: int, attempt_id: int) -> None:
    began = thread_time()
    try:
        _correlate(organization_id=organization_id, attempt_id=attempt_id)
    except OperationalError:
        # Its claim must not keep the organization's other attempts waiting.
        until = timezone.now() + due_attempts.PUT_OFF
        due_attempts.put_off(organization_id=organization_id, attempt_id=attempt_id, until=until)
        raise
    finally:
        # What it worked, not what it waited for others' locks.
        diagnosis_cooldown.rest(attempt_id=attempt_id, seconds=thread_time() - began)


def _correlate(*, organization_id: int, attempt_id: int) -> None:
    now, began = timezone.now(), monotonic()
    touched_at = due_attempts.begin(organization_id=organization_id, attempt_id=attempt_id, now=now)
    if touched_at is None:
        return
    unit = Unit(organization_id=organization_id, kind=DIAGNOSIS, subject=str(attempt_id))
    outcome = failed_work.attempt(
        unit=unit,
        now=now,
        work=lambda: _correlated(organization_id=organization_id, attempt_id=attempt_id, now=now),
    )
    if outcome is None:
        _put_off(unit=unit, attempt_id=attempt_id, touched_at=touched_at, now=now)
        return
    undiagnosed.clear(owner_id=organization_id, attempt_id=attempt_id)
    if outcome.has_changed:
        subscribers.tell(organization_ids=_parties(outcome))
    due_attempts.finish(
        organization_id=organization_id,
        attempt_id=attempt_id,
        touched_at=touched_at,
        now=now,
        again_at=outcome.settles_at,
    )
    logger.info(
        "attempt.correlated",
        extra={
            "organization": organization_id,
            "attempt": attempt_id,
            "incident": outcome.incident.public_id if outcome.incident else None,
            "seconds": round(monotonic() - began, 2),
        },
    )


def _mapped(*, organization_id: int, now: datetime) -> int:
    """Map what waits as one; what can't be is looked at one by one, so that one stops no other."""
    try:
        return touched_windows.map_windows(organization_id=organization_id, now=now)
    except OperationalError:
        raise
    except Exception:  # noqa: BLE001  which of them it was is found, and said, below
        ids = touched_windows.waiting_ids(organization_id=organization_id)
        for window_id in ids:
            failed_work.attempt(
                unit=Unit(
                    organization_id=organization_id,
                    kind=touched_windows.KIND,
                    subject=str(window_id),
                ),
                now=now,
                work=partial(
                    touched_windows.map_windows,
                    organization_id=organization_id,
                    now=now,
                    only=window_id,
                ),
            )
        return len(ids)


def _correlated(*, organization_id: int, attempt_id: int, now: datetime) -> Correlated:
    outcome = correlate_attempt(owner_id=organization_id, attempt_id=attempt_id, now=now)
    for incident in outcome.incidents:
        capture_orders.request(incident=incident, now=now)
    return outcome


def _put_off(*, unit: Unit, attempt_id: int, touched_at: datetime, now: datetime) -> None:
    """Let a diagnosis that failed rest, and say so where its session is read.

    One that outlasted its time on a busy machine is tried again first.
    """
    if not failed_work.outlasted(unit=unit):
        undiagnosed.note(owner_id=unit.organization_id, attempt_id=attempt_id, now=now)
    due_attempts.put_off(
        organization_id=unit.organization_id,
        attempt_id=attempt_id,
        until=now + failed_work.pause_after(unit=unit),
    )


def _parties(outcome: Correlated) -> set[int]:
    return {party["organization"] for each in outcome.incidents for party in each.parties}


@shared_task(name="incidents.sweep", queue="correlate", soft_time_limit=20, time_limit=30)
def sweep() -> None:
    """Find windows and due correlations that no wake-up told of."""

    def look(organization_id: int) -> None:
        if touched_windows.has_windows(organization_id=organization_id):
            ask(MAP_WINDOWS, queue="correlate", organization_id=organization_id)

    failed_work.each_organization(look)
    ask(CORRELATE_DUE, queue="correlate")
