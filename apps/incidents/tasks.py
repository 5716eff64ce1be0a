"""Celery doors of correlation: open, call one function, enqueue what follows."""

import logging
from datetime import timedelta
from time import monotonic

from celery import shared_task
from django.db import OperationalError
from django.utils import timezone

from apps.incidents import captures, rests, wake, windows
from apps.incidents.correlate import Correlated, correlate_attempt
from apps.tenancy.asking import ask, begin
from apps.tenancy.models import Organization

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
    begin(MAP_WINDOWS, organization_id=organization_id)
    taken = windows.map_windows(organization_id=organization_id, now=timezone.now())
    if taken == windows.WINDOWS_AT_ONCE:
        ask(MAP_WINDOWS, queue="correlate", organization_id=organization_id)
    if taken:
        ask(CORRELATE_DUE, queue="correlate", wait=COALESCED.total_seconds())


@shared_task(
    name=CORRELATE_DUE, queue="correlate", soft_time_limit=80, time_limit=90,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=5,
)  # fmt: skip
def correlate_due() -> None:
    """Enqueue a correlation for each attempt that is due, of all organizations."""
    begin(CORRELATE_DUE)
    is_soon = False
    for organization_id in Organization.objects.order_by("id").values_list("id", flat=True):
        _correlate_next(organization_id)
        is_soon = is_soon or windows.is_due_soon(
            organization_id=organization_id, now=timezone.now()
        )
    if is_soon:
        ask(CORRELATE_DUE, queue="correlate", wait=COALESCED.total_seconds())


def _correlate_next(organization_id: int) -> None:
    for attempt_id in windows.claim_due(organization_id=organization_id, now=timezone.now()):
        correlate.delay(organization_id=organization_id, attempt_id=attempt_id)


@shared_task(
    name="incidents.correlate", queue="correlate", soft_time_limit=40, time_limit=50,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def correlate(*, organization_id: int, attempt_id: int) -> None:
    """Diagnose one claimed attempt; look again when it settles. Then it is the next one's turn."""
    began = monotonic()
    try:
        _correlate(organization_id=organization_id, attempt_id=attempt_id)
    except Exception:
        # Its claim must not keep the organization's other attempts waiting.
        now = timezone.now()
        windows.put_off(organization_id=organization_id, attempt_id=attempt_id, now=now)
        raise
    finally:
        rests.rest(attempt_id=attempt_id, seconds=monotonic() - began)
    _correlate_next(organization_id)


def _correlate(*, organization_id: int, attempt_id: int) -> None:
    now, began = timezone.now(), monotonic()
    touched_at = windows.begin(organization_id=organization_id, attempt_id=attempt_id, now=now)
    if touched_at is None:
        return
    outcome = correlate_attempt(owner_id=organization_id, attempt_id=attempt_id, now=now)
    for incident in outcome.incidents:
        captures.request(incident=incident, now=now)
    if outcome.has_changed:
        wake.tell(organization_ids=_parties(outcome))
    windows.finish(
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


def _parties(outcome: Correlated) -> set[int]:
    return {party["organization"] for each in outcome.incidents for party in each.parties}


@shared_task(name="incidents.sweep", queue="correlate", soft_time_limit=20, time_limit=30)
def sweep() -> None:
    """Find windows and due correlations that no wake-up told of."""
    for organization_id in Organization.objects.order_by("id").values_list("id", flat=True):
        if windows.has_windows(organization_id=organization_id):
            ask(MAP_WINDOWS, queue="correlate", organization_id=organization_id)
    ask(CORRELATE_DUE, queue="correlate")
